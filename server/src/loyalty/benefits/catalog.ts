import { remembered, type Remembering } from '#db/memory.ts';
import type { Program, ProgramBenefit } from '#program/program.ts';
import type { Offer } from './benefit.ts';
import { termsOf } from './benefit-terms.ts';

/**
 * Returns the benefits that a program version defines, in the order of the program. They equal the rows that
 * `writeBenefits` stores. The list is made once for each version in memory and lives as long as that.
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

function offerOf(benefit: ProgramBenefit): Offer {
  return { ...termsOf(benefit), onSale: benefit.on_sale, withdrawnAt: null };
}
