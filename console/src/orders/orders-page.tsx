import { useSearch } from 'wouter';
// The cards and columns of a member’s page.
import '../members/members.css';
import { OrderListPage } from './list.tsx';
import { OrderPage } from './order.tsx';
import './orders.css';

/** The orders of the online shop, or the one that the address names: its id can have any signs, so it stands in the query. */
export default function OrdersPage() {
  const id = new URLSearchParams(useSearch()).get('order');
  return id === null ? <OrderListPage /> : <OrderPage key={id} id={id} />;
}
