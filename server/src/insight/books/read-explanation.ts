import { readCommerce, readRules } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import type { MovementType } from '#points/locked-member.ts';
import { storedNote, tellNote, type StoredNote } from '#points/note.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { StoredSnapshot } from '#purchases/decide-purchase.ts';
import { explainMovement } from './explain-movement.ts';

/** One movement of the ledger, with an explanation of its points in a sentence and in fields. */
export interface Explanation {
  readonly id: number;
  readonly type: MovementType;
  readonly at: Date;
  /** Null while the points wait for someone without an account. */
  readonly code: number | null;
  readonly points: number;
  readonly amount: number | null;
  readonly days: readonly { readonly day: string; readonly points: number }[];
  readonly sentence: string;
  /** The inputs of its computation, as stored. */
  readonly snapshot: object | null;
}

/** Explains any movement of a commerce. Returns undefined if the commerce has no movement with this id. */
export async function readExplanation(
  db: Db,
  commerceId: number,
  id: number,
): Promise<Explanation | undefined> {
  const { rows } = await sql<Row>`
    select m.id, m.type, m.at, c.code, m.points, m.amount, m.split, m.event,
           ${storedNote('m', commerceId)} as note, m.snapshot,
           p.snapshot as rule, p.amount as "ruleAmount", v.benefit ->> 'title' as benefit
      from movements m
      join members c on c.commerce_id = m.commerce_id and c.id = m.member_id
      left join movements p on p.commerce_id = m.commerce_id and p.id = coalesce(m.reverses_id, m.id) and p.type = 'purchase'
      left join vouchers v on v.commerce_id = m.commerce_id and v.code = m.voucher_code
     where m.commerce_id = ${commerceId} and m.id = ${id}`.execute(db);
  const row = rows[0];
  const commerce = await readCommerce(db, commerceId);
  if (row === undefined || commerce === undefined) return undefined;

  const { type, points, event, benefit, snapshot } = row;
  const { locale } = commerce.program;
  const note = tellNote(row.note, locale);
  const days = row.split.map(([day, , held]) => ({ day, points: held }));
  const purchase = await computationOf(db, commerceId, row);
  const kept = type === 'reversal' || type === 'correction' ? (snapshot as { kept: number }).kept : null;
  const isDayByHand = type === 'adjustment' && snapshot !== null && 'expiresOn' in snapshot;
  const sentence = explainMovement(
    { type, points, days, purchase, kept, benefit, event, note, isDayByHand },
    locale,
  );
  return {
    id: row.id,
    type,
    at: row.at,
    code: row.code,
    points,
    amount: row.amount,
    days,
    sentence,
    snapshot,
  };
}

interface Row extends Omit<Explanation, 'days' | 'sentence'> {
  readonly split: readonly [day: string, moving: boolean, points: number][];
  readonly event: string | null;
  readonly note: StoredNote | null;
  readonly rule: StoredSnapshot | null;
  readonly ruleAmount: number | null;
  readonly benefit: string | null;
}

async function computationOf(db: Db, commerceId: number, { rule, ruleAmount }: Row) {
  if (rule === null || ruleAmount === null) return null;
  const { tiers } = await readRules(db, commerceId, rule.rule);
  const tierName = tiers.ladder.find((tier) => tier.rank === rule.tier)?.name ?? null;
  return { ...wholeOfStored(ruleAmount, rule), factors: factorsOf(rule, tierName) };
}
