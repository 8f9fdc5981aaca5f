import { remembered, type Remembering } from '#db/memory.ts';
import type { Program } from '#program/program.ts';
import type { Offer } from './benefit.ts';
import { factsOf } from './benefit-facts.ts';

/**
 * The catalog that a program version defines, in its order: what `writeBenefits` writes of it, as it is read again.
 * Made once of each version and kept for as long as that is.
 */
export function catalogOf(db: Remembering, program: Program): readonly Offer[] {
  const catalogs = catalogsOf(db);
  const kept = catalogs.get(program);
  if (kept !== undefined) return kept;
  const made = program.benefits.map(offerOf);
  catalogs.set(program, made);
  return made;
}

const catalogsOf = remembered(() => new WeakMap<Program, readonly Offer[]>());

function offerOf(benefit: Program['benefits'][number]): Offer {
  return { ...factsOf(benefit), onSale: benefit.on_sale, withdrawnAt: null };
}
