/**
 * Checks a program from a file or the console and fills in the defaults. Returns the whole program, or every problem
 * and how to correct it. Nothing is changed or stored.
 */
import { Value } from 'typebox/value';
import { checkMeaning } from './check-meaning.ts';
import { completeBy, type DocumentRules } from './complete.ts';
import { programFileSchema } from './program.ts';
import type { Program, ProgramProblem } from './program.ts';
import { normalInstant } from './values.ts';

export type CheckedProgram =
  | { readonly ok: true; readonly program: Program; readonly clock: Date | null }
  | { readonly ok: false; readonly problems: ProgramProblem[] };

export function checkProgram(said: unknown): CheckedProgram {
  const { value, problems: faults } = completeBy(fileRules, programFileSchema, said);
  const problems = [...faults, ...checkMeaning(value, said, faults)];
  if (problems.length > 0) return { ok: false, problems };
  const { clock, ...program } = value as Program & { clock: string | null };
  return { ok: true, program, clock: clock === null ? null : new Date(clock) };
}

/** Somebody has just written the file, so every value is checked and unknown keys are refused. */
const fileRules: DocumentRules = {
  isRight: (schema, value) => Value.Check(schema, value),
  refusesUnknownKeys: true,
  limitsLists: true,
  normal(shape, value) {
    if (shape.instant) return normalInstant(value as string);
    return value === 0 ? 0 : value; // -0 becomes 0
  },
};
