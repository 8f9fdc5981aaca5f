/**
 * Checks a program from a file or the console and fills in the defaults. Returns the whole program, or its problems
 * and how to correct each. Nothing is changed or stored.
 */
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { checkAcrossFields } from './check-across-fields.ts';
import { completeBy, MOST_PROBLEMS, type DocumentRules } from './complete.ts';
import { programFileSchema, programSchema } from './program.ts';
import type { Program, ProgramProblem } from './program.ts';
import { canonicalLocale, normalInstant } from './values.ts';

export type CheckedProgram =
  | { readonly ok: true; readonly program: Program; readonly clock: Date | null }
  | { readonly ok: false; readonly problems: ProgramProblem[] };

/** @param broken the parts of a file that could not be read. Names that they may have defined are not reported as missing elsewhere. */
export function checkProgram(said: unknown, broken: readonly ProgramProblem['path'][] = []): CheckedProgram {
  const completed = completeBy(fileRules, programFileSchema, said);
  const problems = [
    ...completed.problems.filter((problem) => !comesFrom(problem, broken)),
    ...checkAcrossFields(completed.value, said, completed.problems, broken),
  ];
  if (problems.length > 0 || broken.length > 0)
    return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
  const { value } = completed;
  const { clock, ...program } = value as Program & { clock: string | null };
  return { ok: true, program, clock: clock === null ? null : new Date(clock) };
}

/** The fields of a program that mails are written with. */
const { slug, name, logo, color, locale, mail } = programSchema.properties;
const mailFieldsSchema = Type.Object({ slug, name, logo, color, locale, mail });

export type CheckedMailFields =
  | { readonly ok: true; readonly fields: Static<typeof mailFieldsSchema> }
  | { readonly ok: false; readonly problems: ProgramProblem[] };

/** Checks only the fields of a program that mails are written with. The others may be unfinished. */
export function checkMailFields(said: unknown): CheckedMailFields {
  const rules = { ...fileRules, refusesUnknownKeys: false };
  const { value, problems } = completeBy(rules, mailFieldsSchema, said);
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, fields: value as Static<typeof mailFieldsSchema> };
}

/** Checks a benefit alone, as a code keeps it. Which version of a program it is from does not matter. */
export function checkBenefitAlone(said: unknown): readonly ProgramProblem[] {
  const rules = { ...fileRules, refusesUnknownKeys: false };
  return completeBy(rules, programSchema.properties.benefits.items, said).problems;
}

/** A value that is broken or holds something broken is not as it was meant. In such a map a key may seem to be missing. */
function comesFrom({ path, isMissing }: ProgramProblem, broken: readonly ProgramProblem['path'][]): boolean {
  const part = isMissing ? path.slice(0, -1) : path;
  return broken.some((one) => part.every((key, index) => one[index] === key));
}

/** Somebody has just written the file, so every value is checked and unknown keys are refused. */
const fileRules: DocumentRules = {
  isRight: (schema, value) => Value.Check(schema, value),
  refusesUnknownKeys: true,
  limitsLists: true,
  normal(shape, value) {
    if (shape.instant) return normalInstant(value as string);
    if (shape.locale) return canonicalLocale(value as string);
    return value === 0 ? 0 : value; // -0 becomes 0
  },
};
