/**
 * Reads programs, and parts of programs, that any release may have stored, and completes them to today's model. All code
 * that reads one from the database uses these functions.
 */
import { completeStored, UnreadableDocument } from './complete.ts';
import { programSchema, type ProgramBenefit, type Program } from './program.ts';
import { upgrades } from './upgrades.ts';

const { properties: benefit } = programSchema.properties.benefits.items;

/** @throws UnreadableProgram if it cannot be completed. Only the calls of this commerce fail then. */
export function readStoredProgram(stored: unknown, commerceId: number, version: number): Program {
  try {
    const upgraded = upgrades.reduce((program, upgrade) => upgrade(program), stored);
    return completeStored(programSchema, upgraded);
  } catch (error) {
    if (error instanceof UnreadableDocument) throw new UnreadableProgram(commerceId, version, error);
    throw error;
  }
}

/** The stored program lacks something that has no default, and no upgrade adds it. */
export class UnreadableProgram extends Error {
  constructor(commerceId: number, version: number, cause: UnreadableDocument) {
    super(`the program of commerce ${commerceId}, version ${version}, cannot be read: ${cause.message}`);
  }
}

/** Returns the product of a benefit from its stored form. */
export function readStoredProduct(stored: unknown): ProgramBenefit['product'] {
  return completeStored(benefit.product, stored);
}

/** Returns the coupon of a benefit from its stored form. */
export function readStoredCoupon(stored: unknown): ProgramBenefit['shop_coupon'] {
  return completeStored(benefit.shop_coupon, stored);
}

/** Returns a benefit in which all other fields have their defaults. */
export function plainBenefit(said: Pick<ProgramBenefit, 'id' | 'type' | 'title'>): ProgramBenefit {
  return completeStored(programSchema.properties.benefits.items, said);
}

/** Returns the default of a field, for SQL that reads the field from stored programs. */
export function defaultOf(...path: readonly string[]): unknown {
  let field: unknown = programSchema;
  for (const key of path) field = (field as { properties: Record<string, unknown> }).properties[key];
  return (field as { default: unknown }).default;
}
