import type { OrderWrite, WholeShopOrder } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { isStatus } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { OrderTags } from './list.tsx';
import { useOrderTexts } from './texts.ts';

/** One order: what stands, what the shop said of it, and what each of that wrote. */
export function OrderPage({ id }: { id: string }) {
  const t = useOrderTexts();
  const { api, shop, path } = usePlace();
  const order = useQuery({
    queryKey: [shop.id, 'order', id],
    queryFn: ({ signal }) => api.getShopOrder({ external_id: id }, { signal }),
  });
  useEffect(() => {
    document.title = `${id} · ${shop.name}`;
  }, [id, shop.name]);
  if (order.data === undefined && (isStatus(order.error, 404) || isStatus(order.error, 422)))
    return (
      <Empty
        isPage
        title={t.unknownTitle}
        act={
          <Link className="button main" href={path('members', 'orders')}>
            {t.allOrders}
          </Link>
        }
      >
        {t.unknownText}
      </Empty>
    );
  return (
    <>
      <p className="crumbs">
        <Link href={path('members')}>{t.shared.members}</Link>
        <span aria-hidden="true">/</span>
        <Link href={path('members', 'orders')}>{t.orders}</Link>
        <span aria-hidden="true">/</span>
        <span className="clip">{id}</span>
      </p>
      {order.data !== undefined ? (
        <Shown order={order.data} />
      ) : order.isError ? (
        <Problem error={order.error} onRetry={() => void order.refetch()} />
      ) : (
        <Waiting rows={3} tall />
      )}
    </>
  );
}

function Shown({ order }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  const f = useFormat();
  const { purchase } = order;
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1 className="order-name">{order.external_id}</h1>
          <div className="sum">
            <OrderTags order={order} />
            <span className="small">{f.dayAndTime(order.paid_at ?? order.placed_at)}</span>
            <span className="small">{t.versionStands(order.version, f)}</span>
          </div>
        </div>
      </div>
      {purchase.reason !== null && (
        <p className="strip wrong of-member">
          <Icon name="info" />
          <span>{t.refused(t.reasonOf(purchase.reason))}</span>
        </p>
      )}
      <div className="stack">
        <div className="cards order-cards">
          <Money order={order} />
          <section className="card inside stack" aria-labelledby="order-points">
            <div>
              <h2 id="order-points" className="label">
                {t.pointsTitle}
              </h2>
              <p className="figure">{f.number(order.points)}</p>
            </div>
            <p className="small">{t.pointsText}</p>
          </section>
          <Buyer order={order} />
        </div>
        <div className="beside">
          <Writes order={order} />
          <div className="stack member-aside">
            <Codes order={order} />
            <Lines order={order} />
          </div>
        </div>
      </div>
    </>
  );
}

function Money({ order: { paid, refunded } }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  const f = useFormat();
  return (
    <section className="card inside stack" aria-labelledby="order-money">
      <h2 id="order-money" className="label">
        {t.money}
      </h2>
      <dl className="facts">
        <Fact name={t.paid}>{f.money(paid)}</Fact>
        <Fact name={t.refunded}>{f.money(refunded)}</Fact>
        <Fact name={t.kept}>{f.money(paid - refunded)}</Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Buyer({ order: { member } }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  const { path } = usePlace();
  return (
    <section className="card inside stack" aria-labelledby="order-buyer">
      <div>
        <h2 id="order-buyer" className="label">
          {t.buyer}
        </h2>
        <p className="order-buyer">{t.buyerOf(member)}</p>
        {member !== null && member.client_code !== null && (
          <p className="small">{inGroups(member.client_code)}</p>
        )}
      </div>
      {member === null ? (
        <p className="small">{t.noBuyerText}</p>
      ) : (
        <Link href={path('members', member.member_id)}>{t.toMember}</Link>
      )}
    </section>
  );
}

function Writes({ order }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  return (
    <section className="card" aria-labelledby="order-writes">
      <div className="toolbar">
        <h2 id="order-writes">{t.history}</h2>
      </div>
      <table className="table folds order-writes">
        <caption className="unseen">{t.history}</caption>
        <thead>
          <tr>
            <th>{t.historyColumns.at}</th>
            <th>{t.historyColumns.what}</th>
            <th className="number">{t.historyColumns.amount}</th>
            <th className="number">{t.historyColumns.points}</th>
          </tr>
        </thead>
        <tbody>
          {order.writes.map((write, i) => (
            <Write key={order.writes.length - i} write={write} order={order} />
          ))}
        </tbody>
      </table>
      {order.has_older_writes && <p className="small inset">{t.olderLeftOut}</p>}
    </section>
  );
}

function Write({ write, order: { member } }: { write: OrderWrite; order: WholeShopOrder }) {
  const t = useOrderTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { kind, status, paid, refunded, amount, points, movement_id: movementId } = write;
  const isState = kind === 'state' && status !== null;
  const title = isState ? t.said(t.statuses[status]) : t.kinds[kind];
  const about = isState
    ? [
        write.version === null ? null : t.version(write.version, f),
        t.saidPaid(f.money(paid ?? 0)),
        refunded === null || refunded === 0 ? null : t.refundedOf(f.money(refunded)),
      ]
    : [
        write.title,
        write.client_benefit_code === null ? null : inGroups(write.client_benefit_code),
        write.held_until === null ? null : t.heldUntil(f.time(write.held_until)),
      ];
  const toMovement =
    member !== null && movementId !== null && amount !== null
      ? `${path('members', member.member_id)}#movement-${movementId}`
      : null;
  return (
    <tr className={isState ? 'is-state' : toMovement === null ? '' : 'is-link'}>
      <td className="wide">
        <When at={write.at} />
      </td>
      <td>
        <span className="row-words">
          {toMovement === null ? (
            <b>{title}</b>
          ) : (
            <Link className="row-link" href={toMovement}>
              {title}
            </Link>
          )}
          <span className="small">
            {about.filter(Boolean).join(' · ')}
            {amount !== null && <span className="phone-word">{f.money(amount)}</span>}
          </span>
        </span>
      </td>
      <td className="number later">{amount === null ? '' : f.money(amount)}</td>
      <td className={`number change ${(points ?? 0) > 0 ? 'gain' : ''}`}>
        {points === null ? '' : f.change(points)}
      </td>
    </tr>
  );
}

function Codes({ order: { codes } }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  return (
    <section className="card" aria-labelledby="order-codes">
      <div className="toolbar">
        <h2 id="order-codes">{t.codes}</h2>
      </div>
      {codes.length === 0 ? (
        <p className="small inset">{t.noCodes}</p>
      ) : (
        <ul className="rows">
          {codes.map(({ client_benefit_code: code, title, state, reason }) => (
            <li key={code} className="row">
              <div className="row-words">
                <b>{title ?? inGroups(code)}</b>
                {title !== null && <span className="small">{inGroups(code)}</span>}
                {reason !== null && <span className="small">{t.reasonOf(reason)}</span>}
              </div>
              <span
                className={`tag ${state === 'refused' ? 'wrong' : state === 'held' ? 'ending' : ''}`.trim()}
              >
                {t.codeStates[state]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What the order consists of, if the shop says so. */
function Lines({ order: { lines } }: { order: WholeShopOrder }) {
  const t = useOrderTexts();
  const f = useFormat();
  if (lines === null || lines.length === 0) return null;
  return (
    <section className="card" aria-labelledby="order-lines">
      <div className="toolbar">
        <h2 id="order-lines">{t.lines}</h2>
      </div>
      <ul className="rows">
        {lines.map((line) => (
          <li key={line.id} className="row">
            <div className="row-words">
              <span>{t.lineOf(line.product ?? line.id, line.units, f)}</span>
              {line.returned_amount !== null && line.returned_amount > 0 && (
                <span className="small">{t.lineReturned(f.money(line.returned_amount))}</span>
              )}
            </div>
            <b>{f.money(line.amount)}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
