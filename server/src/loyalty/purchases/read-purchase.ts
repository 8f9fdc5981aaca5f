import { readCommerce, readRules } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { Step } from '#points/points-for-purchase.ts';
import { shownPoints } from '#points/shown-points.ts';
import type { StoredSnapshot } from './decide-purchase.ts';
import { explainPurchase } from './explain-purchase.ts';
import { externalIdOf } from './recorded-purchases.ts';

/** This commerce has no purchase with that id. */
export class UnknownPurchase extends NotFound {
  constructor() {
    super(
      'the consumption does not exist: send the X-Consumption-Id of the response that recorded it, and the key of that shop',
    );
  }
}

/** A recorded purchase, the computation of its points, and its returns. */
export interface PurchaseRead {
  readonly id: number;
  readonly at: Date;
  readonly code: number | null;
  readonly amount: number;
  readonly points: number;
  readonly registerId: number | null;
  readonly branchId: number | null;
  /** The shop's own id of it, if it gave one. */
  readonly externalId: string | null;
  readonly factors: readonly Step[];
  readonly explanation: string;
  readonly reversedAmount: number;
  readonly reversedPoints: number;
}

/** Reads one purchase of a commerce. @throws UnknownPurchase */
export async function readPurchase(db: Db, commerceId: number, id: number): Promise<PurchaseRead> {
  const { rows } = await sql<Row>`-- read-purchase
    select ${purchaseColumns(commerceId)}
      from movements p
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
     where p.commerce_id = ${commerceId} and p.id = ${id} and p.type = 'purchase'`.execute(db);
  const [purchase] = await explainRows(db, commerceId, rows);
  if (purchase === undefined) throw new UnknownPurchase();
  return purchase;
}

export type Row = Omit<PurchaseRead, 'factors' | 'explanation'> & { readonly snapshot: StoredSnapshot };

/** The columns of a `Row`, from the purchase `movements p` and its buyer `members m`. */
export const purchaseColumns = (commerceId: number): Sql => sql`
           p.id, p.at, m.code, p.amount, p.points_earned as points, p.register_id as "registerId", p.branch_id as "branchId",
           ${externalIdOf(commerceId)} as "externalId", p.snapshot,
           (select coalesce(-sum(r.amount), 0)::bigint
              from movements r where r.commerce_id = ${commerceId} and r.reverses_id = p.id) as "reversedAmount",
           (select coalesce(-sum(${shownPoints('r')}), 0)::bigint
              from movements r where r.commerce_id = ${commerceId} and r.reverses_id = p.id) as "reversedPoints"`;

/** Adds to each purchase how its points were computed. */
export async function explainRows(db: Db, commerceId: number, rows: readonly Row[]): Promise<PurchaseRead[]> {
  if (rows.length === 0) return [];
  const commerce = await readCommerce(db, commerceId);
  const purchases: PurchaseRead[] = [];
  for (const { snapshot, ...purchase } of rows) {
    const rules = await readRules(db, commerceId, snapshot.rule);
    const tierName = rules.tiers.ladder.find((tier) => tier.rank === snapshot.tier)?.name ?? null;
    const factors = factorsOf(snapshot, tierName);
    const explanation = explainPurchase(
      { ...wholeOfStored(purchase.amount, snapshot), factors },
      commerce!.program.locale,
    );
    purchases.push({ ...purchase, factors, explanation });
  }
  return purchases;
}
