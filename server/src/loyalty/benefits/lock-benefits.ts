import type { WaitFor } from '#batching/waiting.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import { benefitColumns, withStoredParts, type Benefit, type BenefitRow } from './benefit.ts';
import { readBenefits } from './read-benefits.ts';

/** A reference to a benefit of a commerce. */
export interface BenefitRef {
  readonly commerceId: number;
  readonly id: string;
}

/** The benefits that were locked, and the names of those that another transaction has locked. */
export interface FreeBenefits {
  readonly benefits: (Benefit & { readonly commerceId: number })[];
  readonly busy: ReadonlySet<string>;
}

/**
 * Locks the benefits that this transaction sells, in ascending order, and returns them as they are once the locks are
 * held, with their price and the number sold. Unknown ids are left out. Waits for no benefit that is locked elsewhere; compare
 * `busy` with `nameOfBenefit`. Lock the members first.
 */
export async function lockFreeBenefits(tx: Tx, refs: readonly BenefitRef[]): Promise<FreeBenefits> {
  const benefits = await lockBenefits(tx, refs, 'skip');
  const locked = new Set(benefits.map(nameOfBenefit));
  const missing = refs.filter((ref) => !locked.has(nameOfBenefit(ref)));
  const busy = missing.length === 0 ? [] : await readBenefits(tx, missing);
  return { benefits, busy: new Set(busy.map(nameOfBenefit)) };
}

/** Locks those of the benefits that the caller waits for. It sends nothing else meanwhile, so that what it reads next is younger. */
export async function waitForBenefits(tx: Tx, refs: readonly BenefitRef[], waitFor: WaitFor): Promise<void> {
  if (waitFor !== 'none') await lockBenefits(tx, waitFor === 'all' ? refs : refs.slice(0, 1), 'wait');
}

/** Returns a name for a benefit that is unique across commerces. */
export function nameOfBenefit({ commerceId, id }: BenefitRef): string {
  return `${commerceId}/benefit/${id}`;
}

async function lockBenefits(tx: Tx, refs: readonly BenefitRef[], locked: 'wait' | 'skip') {
  const wanted = [...new Map(refs.map((ref) => [nameOfBenefit(ref), ref])).values()];
  const { rows } = await sql<
    BenefitRow & { commerceId: number }
  >`${sql.raw(locked === 'skip' ? '-- lock-free-benefits' : '-- lock-benefits')}
    select b.commerce_id as "commerceId", ${benefitColumns}
      from unnest(${wanted.map((ref) => ref.commerceId)}::bigint[], ${wanted.map((ref) => ref.id)}::text[])
             as wanted(commerce_id, id)
      join benefits b on b.commerce_id = wanted.commerce_id and b.id = wanted.id
     where b.commerce_id = any(${commercesOf(wanted)}::bigint[])
     order by b.commerce_id, b.id
       for no key update of b ${sql.raw(locked === 'skip' ? 'skip locked' : '')}`.execute(tx);
  return rows.map(withStoredParts);
}
