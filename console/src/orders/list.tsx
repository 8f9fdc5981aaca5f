import type { ShopOrder, ShopOrderFilter, ShopOrderStatus } from '@loyalty/sdk/admin';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearch } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { orderQuery } from './order-path.ts';
import { useOrderTexts } from './texts.ts';

const STATUSES: readonly ShopOrderStatus[] = ['open', 'paid', 'cancelled'];

type View = Omit<ShopOrderFilter, 'cursor'>;

/** Lists the orders, of all buyers or of one, by day and state. */
export function OrderListPage() {
  const t = useOrderTexts();
  const format = useFormat();
  const { api, shop, path } = usePlace();
  const query = useSearch();
  const view = useMemo(() => readView(query), [query]);
  const orders = useInfiniteQuery({
    queryKey: [shop.id, 'orders', view],
    queryFn: ({ pageParam, signal }) =>
      api.listShopOrders({ ...view, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
  const rows = orders.data?.pages.flatMap(({ results }) => results) ?? [];
  const isAll = Object.keys(view).length === 0;
  return (
    <>
      <p className="crumbs">
        <Link href={path('members')}>{t.shared.members}</Link>
        <span aria-hidden="true">/</span>
        <span>{t.orders}</span>
      </p>
      <div className="page-head">
        <div className="words">
          <h1>{t.orders}</h1>
          {view.member_id === undefined ? (
            <p className="small">{t.ordersText}</p>
          ) : (
            <OfMember memberId={view.member_id} onAll={() => change(view, { member_id: undefined })} />
          )}
        </div>
      </div>
      <section className="card" aria-label={t.orders}>
        <div className="toolbar order-filters">
          <div className="chips" role="group" aria-label={t.statusFilter}>
            {[undefined, ...STATUSES].map((one) => (
              <button
                key={one ?? ''}
                type="button"
                className="chip"
                aria-pressed={view.status === one}
                onClick={() => change(view, { status: one })}
              >
                {one === undefined ? t.anyStatus : t.statuses[one]}
              </button>
            ))}
          </div>
          <div className="order-days">
            <Field
              label={t.from}
              type="date"
              value={view.from ?? ''}
              onChange={(event) => change(view, { from: event.currentTarget.value })}
            />
            <Field
              label={t.to}
              type="date"
              value={view.to ?? ''}
              onChange={(event) => change(view, { to: event.currentTarget.value })}
            />
          </div>
        </div>
        {orders.isPending ? (
          <div className="inset">
            <Waiting rows={6} />
          </div>
        ) : orders.isError && rows.length === 0 ? (
          <Problem error={orders.error} onRetry={() => void orders.refetch()} />
        ) : rows.length === 0 ? (
          <Empty
            title={isAll ? t.noOrders : t.noneFound}
            act={
              isAll ? undefined : (
                <Button look="main" onClick={() => change({}, {})}>
                  {t.clear}
                </Button>
              )
            }
          >
            {isAll ? t.noOrdersText : t.noneFoundText}
          </Empty>
        ) : (
          <OrderTable rows={rows} isBusy={orders.isPlaceholderData} />
        )}
        {rows.length > 0 && (
          <div className="table-foot">
            <span className="small" role="status">
              {t.ordersShown(rows.length, format)}
            </span>
            {orders.isError && <span className="wrong">{sayProblem(orders.error, t.shared)}</span>}
            {orders.hasNextPage && (
              <Button busy={orders.isFetchingNextPage} onClick={() => void orders.fetchNextPage()}>
                {t.showMore}
              </Button>
            )}
          </div>
        )}
      </section>
    </>
  );
}

/** Whose orders these are, and the way to those of everybody. */
function OfMember({ memberId, onAll }: { memberId: number; onAll: () => void }) {
  const t = useOrderTexts();
  const { api, shop, path } = usePlace();
  const member = useQuery({
    queryKey: [shop.id, 'member', memberId],
    queryFn: ({ signal }) => api.getMember(memberId, { signal }),
  });
  return (
    <p className="small sum">
      <Link href={path('members', memberId)}>
        {member.data !== undefined
          ? t.ordersOf(t.buyerOf(member.data))
          : member.isError
            ? sayProblem(member.error, t.shared)
            : '…'}
      </Link>
      <button type="button" className="text-button" onClick={onAll}>
        {t.allBuyers}
      </button>
    </p>
  );
}

function OrderTable({ rows, isBusy }: { rows: readonly ShopOrder[]; isBusy: boolean }) {
  const t = useOrderTexts();
  return (
    <table className="table folds orders" aria-busy={isBusy}>
      <caption className="unseen">{t.orders}</caption>
      <thead>
        <tr>
          <th>{t.columns.order}</th>
          <th>{t.columns.status}</th>
          <th className="number">{t.columns.paid}</th>
          <th className="number">{t.columns.points}</th>
          <th>{t.columns.placed}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <OrderRow key={row.external_id} order={row} />
        ))}
      </tbody>
    </table>
  );
}

function OrderRow({ order }: { order: ShopOrder }) {
  const t = useOrderTexts();
  const format = useFormat();
  const { path } = usePlace();
  const { codes, refunded } = order;
  return (
    <tr className="is-link">
      <td>
        <span className="row-words">
          <Link
            className="row-link clip"
            href={`${path('members', 'orders')}${orderQuery(order.external_id)}`}
          >
            {order.external_id}
          </Link>
          <span className="small clip">
            {[t.buyerOf(order.member), codes.length > 0 ? t.codesOf(codes.length, format) : null]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </span>
      </td>
      <td>
        <OrderTags order={order} />
      </td>
      <td className="number">
        <span className="row-words">
          <b>{format.money(order.paid)}</b>
          {refunded > 0 && <span className="small">{t.refundedOf(format.money(refunded))}</span>}
        </span>
      </td>
      <td className={`number later change ${order.points > 0 ? 'gain' : ''}`}>
        {order.purchase.state === 'none' ? '' : format.change(order.points)}
      </td>
      <td className="later">
        <When at={order.placed_at} />
      </td>
    </tr>
  );
}

/** The state of an order, and whether any part of it was refused. */
export function OrderTags({ order }: { order: ShopOrder }) {
  const t = useOrderTexts();
  const look = order.status === 'paid' ? 'gain' : order.status === 'open' ? 'ending' : '';
  const isRefused = order.purchase.reason !== null || order.codes.some(({ state }) => state === 'refused');
  return (
    <span className="sum">
      <span className={`tag ${look}`.trim()}>{t.statuses[order.status]}</span>
      {isRefused && <span className="tag wrong">{t.codeStates.refused}</span>}
    </span>
  );
}

type Change = { readonly [Field in keyof View]?: View[Field] | undefined };

/** Keeps the view in the address, so that it can be shared and returned to. */
function change(view: View, part: Change): void {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...view, ...part }))
    if (value !== undefined && value !== '')
      params.set(name === 'member_id' ? 'member' : name, String(value));
  history.replaceState(null, '', location.pathname + (params.size === 0 ? '' : `?${params}`));
}

function readView(query: string): View {
  const params = new URLSearchParams(query);
  const day = (name: string) => {
    const value = params.get(name) ?? '';
    return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
  };
  const member = Number(params.get('member') ?? Number.NaN);
  const view: Change = {
    member_id: Number.isSafeInteger(member) && member > 0 ? member : undefined,
    status: STATUSES.find((one) => one === params.get('status')),
    from: day('from'),
    to: day('to'),
  };
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined));
}
