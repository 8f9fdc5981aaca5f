import { lazy, Suspense } from 'react';
import { useRoute } from 'wouter';
import { Waiting } from '../ui/states.tsx';
import { MemberListPage } from './list.tsx';
import './members.css';
import { MemberPage } from './member.tsx';

const OrdersPage = lazy(() => import('../orders/orders-page.tsx'));

/** The list of members, the page of the member that the address names, or the orders of the online shop. */
export default function MembersPage() {
  const [isBelow, params] = useRoute('/:slug/members/:part');
  if (!isBelow) return <MemberListPage />;
  if (params.part === 'orders')
    return (
      <Suspense fallback={<Waiting tall />}>
        <OrdersPage />
      </Suspense>
    );
  const memberId = Number(params.part);
  return <MemberPage key={memberId} memberId={memberId} />;
}
