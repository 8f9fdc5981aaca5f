import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
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

/** Returns those of some codes that nobody has used, whether or not their dates have passed. */
export type UnusedOf = (commerceId: number, codes: readonly number[]) => Promise<ReadonlySet<number>>;

/** Reads the cards of some kinds, ended ones included, and the full ones whose codes are not used. */
export async function readCardsOfKinds(
  db: Db,
  { commerceId, id }: MemberOf,
  kinds: readonly string[],
  unusedOf: UnusedOf,
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
  const usable = codes.length === 0 ? new Set() : await unusedOf(commerceId, codes);
  return (kind) => ({
    cards: cards.filter(({ stampId }) => stampId === kind),
    unused: full.filter(({ stampId, code }) => stampId === kind && (code === null || usable.has(code))),
  });
}

interface Code {
  readonly code: number;
  readonly isUnused: boolean;
}

/** Looks which codes are unused now. */
export function findUnused(db: Db): UnusedOf {
  return async (commerceId, codes) => {
    const { rows } = await sql<Code>`-- find-unused-codes
      select ${state} from vouchers v where v.commerce_id = ${commerceId} and v.code = any(${codes}::bigint[])`.execute(
      db,
    );
    return unusedAmong(rows);
  };
}

/** Locks codes and says which are unused. A redemption that is under way is waited for. */
export function lockUnused(tx: Tx): UnusedOf {
  return async (commerceId, codes) => {
    const { rows } = await sql<Code>`-- lock-unused-codes
      select ${state} from vouchers v where v.commerce_id = ${commerceId} and v.code = any(${codes}::bigint[])
       order by v.code
         for no key update of v`.execute(tx);
    return unusedAmong(rows);
  };
}

const state = sql.raw('v.code, v.used_at is null and v.given_back_at is null as "isUnused"');

function unusedAmong(codes: readonly Code[]): ReadonlySet<number> {
  return new Set(codes.flatMap(({ code, isUnused }) => (isUnused ? [code] : [])));
}
