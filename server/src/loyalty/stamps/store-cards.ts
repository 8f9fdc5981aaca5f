import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { voidLockedCodes } from '#vouchers/void-vouchers.ts';
import type { ChangedStamps, GivenStamps } from './decide-stamps.ts';
import type { FullCard, StampCard } from './stamp-card.ts';

/** What a purchase of a locked member, or the return of one, has changed. */
export interface CardsChanged {
  readonly commerceId: number;
  readonly memberId: number;
  readonly purchaseId: number;
  readonly at: Date;
  readonly cards: readonly StampCard[];
  readonly full: readonly FullCard[];
  readonly entries: readonly (GivenStamps | ChangedStamps)[];
}

/** Stores changes of cards, in their order: a later one replaces an earlier one. */
export async function storeCards(tx: Tx, changes: readonly CardsChanged[]): Promise<void> {
  const changed = changes.filter(({ cards }) => cards.length > 0);
  if (changed.length === 0) return;
  const cards = changed.flatMap(({ commerceId, memberId, cards: own }) =>
    own.map((card) => ({ commerceId, memberId, ...card })),
  );
  const last = [
    ...new Map(
      cards.map((one) => [`${one.commerceId}/${one.memberId}/${one.stampId}/${one.card}`, one]),
    ).values(),
  ];
  await sql`-- store-cards
    insert into stamp_cards (commerce_id, member_id, stamp_id, card, have, ends_on, stamped_at, filled, ended)
    select *
      from unnest(${last.map((one) => one.commerceId)}::bigint[], ${last.map((one) => one.memberId)}::bigint[],
                  ${last.map((one) => one.stampId)}::text[], ${last.map((one) => one.card)}::integer[],
                  ${last.map((one) => one.have)}::integer[], ${last.map((one) => one.endsOn)}::date[],
                  ${last.map((one) => one.stampedAt)}::timestamptz[], ${last.map((one) => one.filled)}::integer[],
                  ${last.map((one) => one.ended)}::boolean[])
        on conflict (commerce_id, member_id, stamp_id, card) do update
       set have = excluded.have, ends_on = excluded.ends_on, stamped_at = excluded.stamped_at,
           filled = excluded.filled, ended = excluded.ended`.execute(tx);
  const full = changed.flatMap(({ commerceId, memberId, purchaseId, full: own }) =>
    own.map((one) => ({ commerceId, memberId, purchaseId, ...one })),
  );
  if (full.length > 0)
    await sql`-- store-full-cards
      insert into full_cards (commerce_id, member_id, stamp_id, ordinal, need, benefit_id, purchase_id)
      select *
        from unnest(${full.map((one) => one.commerceId)}::bigint[], ${full.map((one) => one.memberId)}::bigint[],
                    ${full.map((one) => one.stampId)}::text[], ${full.map((one) => one.ordinal)}::integer[],
                    ${full.map((one) => one.need)}::integer[], ${full.map((one) => one.benefitId)}::text[],
                    ${full.map((one) => one.purchaseId)}::bigint[])`.execute(tx);
  await storeHappenings(tx, changed.flatMap(happeningsOf));
}

function happeningsOf({ commerceId, memberId, at, entries }: CardsChanged) {
  return entries.flatMap((entry) => {
    const stamps = 'given' in entry ? entry.given : entry.stamps;
    if (stamps === 0) return [];
    return [
      {
        type: stamps > 0 ? ('stamp.given' as const) : ('stamp.taken' as const),
        commerceId,
        memberId,
        at,
        facts: { stamp_id: entry.id, stamps: Math.abs(stamps), have: entry.have, full: entry.full ?? 0 },
      },
    ];
  });
}

/** Takes full cards of a locked member back: their codes are void. */
export async function takeFullCards(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
  taken: readonly (FullCard & { readonly code: number | null })[],
  at: Date,
): Promise<void> {
  if (taken.length === 0) return;
  await sql`-- take-full-cards
    update full_cards f
       set taken_at = ${at}
      from unnest(${taken.map((one) => one.stampId)}::text[], ${taken.map((one) => one.ordinal)}::integer[]) as t(stamp_id, ordinal)
     where f.commerce_id = ${commerceId} and f.member_id = ${id}
       and f.stamp_id = t.stamp_id and f.ordinal = t.ordinal`.execute(tx);
  const codes = taken.flatMap(({ code }) => code ?? []);
  await voidLockedCodes(tx, { commerceId, memberId: id, at }, codes);
}

/** Deletes the cards of locked people who are erased. The ledger keeps what their purchases stamped. */
export async function forgetCards(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
): Promise<void> {
  await sql`-- forget-stamp-cards
    delete from stamp_cards where commerce_id = ${commerceId} and member_id = ${id}`.execute(tx);
  await sql`-- forget-full-cards
    delete from full_cards where commerce_id = ${commerceId} and member_id = ${id}`.execute(tx);
}
