import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { orderQuery } from '../orders/order-path.ts';
import { useOrderTexts } from '../orders/texts.ts';
import { usePlace } from '../session.ts';
import { Problem } from '../ui/states.tsx';
import { Fold } from './member.tsx';

const SHOWN = 5;

/** The member's last orders of the online shop, if there are any. */
export function OrdersOf({ memberId, isOpen }: { memberId: number; isOpen: boolean }) {
  const t = useOrderTexts();
  const format = useFormat();
  const { api, shop, path } = usePlace();
  const orders = useQuery({
    queryKey: [shop.id, 'member', memberId, 'orders'],
    queryFn: ({ signal }) => api.listShopOrders({ member_id: memberId }, { signal }),
  });
  const rows = orders.data?.results ?? [];
  if (!orders.isError && rows.length === 0) return null;
  return (
    <Fold title={t.orders} isOpen={isOpen}>
      {orders.isError ? (
        <Problem error={orders.error} onRetry={() => void orders.refetch()} />
      ) : (
        <>
          <ul className="code-list">
            {rows.slice(0, SHOWN).map((order) => (
              <li key={order.external_id} className="row">
                <div className="row-words">
                  <Link
                    className="row-link clip"
                    href={`${path('members', 'orders')}${orderQuery(order.external_id)}`}
                  >
                    {order.external_id}
                  </Link>
                  <span className="small">
                    {`${format.money(order.paid)} · ${format.day(order.placed_at)}`}
                  </span>
                </div>
                <span className={order.status === 'paid' ? 'tag gain' : 'tag'}>
                  {t.statuses[order.status]}
                </span>
              </li>
            ))}
          </ul>
          {(rows.length > SHOWN || orders.data?.next_cursor !== null) && (
            <Link href={`${path('members', 'orders')}?member=${memberId}`}>{t.allOrders}</Link>
          )}
        </>
      )}
    </Fold>
  );
}
