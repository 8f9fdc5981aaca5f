import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db } from '#db/database.ts';
import type { CardsOfKind } from './decide-stamps.ts';
import type { FullCard, StampCard } from './stamp-card.ts';

interface MemberOf {
  readonly commerceId: number;
  readonly id: number;
}

const columns = sql.raw(`
  c.stamp_id as "stampId", c.card, c.have, c.ends_on as "endsOn", c.stamped_at as "stampedAt", c.filled, c.ended`);

/** Reads the cards of members that have not ended, as far as anybody has noticed. Returns them by `nameOfHolder`. */
export async function readOpenCards(
  db: Db,
  members: readonly MemberOf[],
): Promise<ReadonlyMap<string, readonly StampCard[]>> {
  if (members.length === 0) return new Map();
  const { rows } = await sql<StampCard & { readonly holder: string }>`-- read-open-cards
    select c.commerce_id || '/' || c.member_id as holder, ${columns}
      from unnest(${members.map((one) => one.commerceId)}::bigint[], ${members.map((one) => one.id)}::bigint[])
             as m(commerce_id, id)
      join stamp_cards c on c.commerce_id = m.commerce_id and c.member_id = m.id
     where c.commerce_id = any(${commercesOf(members)}::bigint[]) and not c.ended`.execute(db);
  return Map.groupBy(rows, ({ holder }) => holder);
}

export function nameOfHolder({ commerceId, id }: MemberOf): string {
  return `${commerceId}/${id}`;
}

/**
 * Reads the cards of some kinds, ended ones included, and the full ones whose codes are not used. A redemption that is under way is waited
 * for, except for a preview.
 */
export async function readCardsOfKinds(
  db: Db,
  { commerceId, id }: MemberOf,
  kinds: readonly string[],
  { isPreview }: { readonly isPreview: boolean },
): Promise<(kind: string) => CardsOfKind> {
  const { rows: cards } = await sql<StampCard>`-- read-cards-of-kinds
    select ${columns}
      from stamp_cards c
     where c.commerce_id = ${commerceId} and c.member_id = ${id} and c.stamp_id = any(${kinds}::text[])`.execute(
    db,
  );
  const { rows: full } = await sql<FullCard & { code: number | null }>`-- read-full-cards
    select f.stamp_id as "stampId", f.ordinal, f.need, f.benefit_id as "benefitId", f.code
      from full_cards f
     where f.commerce_id = ${commerceId} and f.member_id = ${id} and f.stamp_id = any(${kinds}::text[])
       and f.taken_at is null`.execute(db);
  const codes = full.flatMap(({ code }) => code ?? []);
  const usable = await usableAmong(db, commerceId, codes, isPreview);
  return (kind) => ({
    cards: cards.filter(({ stampId }) => stampId === kind),
    unused: full.filter(({ stampId, code }) => stampId === kind && (code === null || usable.has(code))),
  });
}

/** Returns those of some codes that nobody has used, whether or not their dates have passed. */
async function usableAmong(
  db: Db,
  commerceId: number,
  codes: readonly number[],
  isPreview: boolean,
): Promise<ReadonlySet<number>> {
  if (codes.length === 0) return new Set();
  const { rows } = await sql<{ code: number; isUnused: boolean }>`${isPreview ? LOOK : LOCK}
    select v.code, v.used_at is null and v.given_back_at is null as "isUnused"
      from vouchers v
     where v.commerce_id = ${commerceId} and v.code = any(${codes}::bigint[])
     order by v.code
     ${isPreview ? NOTHING : sql.raw('for no key update of v')}`.execute(db);
  return new Set(rows.flatMap(({ code, isUnused }) => (isUnused ? [code] : [])));
}

const LOOK = sql.raw('-- find-unused-codes');
const LOCK = sql.raw('-- lock-unused-codes');
const NOTHING = sql.raw('');
