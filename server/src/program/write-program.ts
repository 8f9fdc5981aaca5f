/** Writes a program as a file that reads back as the same program, for export and for version control. */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { completeStored } from './complete.ts';
import { programSchema, type Program } from './program.ts';

/** Returns YAML. Omits empty fields, and sections in which every field has its default. */
export function writeProgram(program: Program): string {
  const { slug, name, currency, time_zone, earning } = program;
  const required = { slug, name, currency, time_zone, earning: { money_per_point: earning.money_per_point } };
  const unsaid = completeStored(programSchema, required);

  // The database does not keep the order of JSON keys. Completing the program restores the order of the model.
  const entries = Object.entries(completeStored(programSchema, program)).filter(([key, value]) => {
    const isSaid = Object.hasOwn(required, key) || typeof value !== 'object';
    return isSaid || !isDeepStrictEqual(value, Reflect.get(unsaid, key));
  });
  return stringify(spoken(Object.fromEntries(entries)), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Returns the value without nulls and empty lists, because an omitted field becomes one of these anyway. */
function spoken(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spoken);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([, item]) => item !== null && !(Array.isArray(item) && item.length === 0),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, spoken(item)]));
}
