/** The programs of a replay: those that were in force, by version, and the proposed one. */
import { createDayReader, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { createAdjustment, type Adjustment } from '#apply/adjustment.ts';
import { sql, type Db } from '#db/database.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Program } from '#program/program.ts';
import type { Rules } from '#program/rules.ts';
import { readStoredProgram } from '#program/stored-program.ts';

export interface Version {
  readonly inForceAt: Date;
  readonly program: Program;
  readonly rules: Rules;
}

export interface Timeline {
  /** By version, oldest first. */
  readonly versions: readonly Version[];
  readonly proposed: Version;
  /** Returns the rules of any version, the proposed one included. */
  readonly rulesOf: (version: number) => Rules;
  /** Returns the position of a version by its number. */
  readonly placeOf: (version: number) => number;
  /** Returns the position of the version in force at an instant; 0 before the first. */
  readonly placeAt: (at: Date) => number;
  /** Returns the commerce at an instant under a version. A pause is a moment's state and no rule, so it is left out. */
  readonly commerceAt: (version: Version, at: Date) => Commerce;
  /** Returns what publishing the version at this position did to a member, once for each position. */
  readonly published: (place: number) => Adjustment;
  /** Returns what publishing the proposed program does at the instant of the proposed version. */
  readonly publishing: Adjustment;
}

/** @param at when the proposed program is published in the replay */
export async function readTimeline(
  db: Db,
  commerce: Commerce,
  proposedProgram: Program,
  at: Date,
): Promise<Timeline> {
  const { rows } = await sql<{ version: number; inForceAt: Date; program: unknown }>`
    select version, in_force_at as "inForceAt", program
      from programs
     where commerce_id = ${commerce.id} and version <= ${commerce.rules.version}
     order by version`.execute(db);
  const versions: Version[] = [];
  const under = (program: Program, version: number, before: Version | undefined) =>
    rulesOf(program, version, before?.rules.earning.carriesSince ?? version);
  for (const { version, inForceAt, program: stored } of rows) {
    const program = readStoredProgram(stored, commerce.id, version);
    versions.push({ inForceAt, program, rules: under(program, version, versions.at(-1)) });
  }
  const placeAt = (at: Date) =>
    Math.max(
      0,
      versions.findLastIndex(({ inForceAt }) => inForceAt <= at),
    );
  const rules = under(proposedProgram, commerce.rules.version + 1, versions[placeAt(at)]);
  const proposed = { inForceAt: at, program: proposedProgram, rules };
  const byVersion = new Map([...versions, proposed].map(({ rules }) => [rules.version, rules]));

  const readers = new Map<string, (at: Date) => Day>();
  const dayIn = (timeZone: string, at: Date): Day => {
    const reader = readers.get(timeZone) ?? createDayReader(timeZone);
    readers.set(timeZone, reader);
    return reader(at);
  };
  const commerceAt = ({ program, rules }: Version, at: Date): Commerce => ({
    id: commerce.id,
    slug: commerce.slug,
    status: 'active',
    sandbox: commerce.sandbox,
    now: at,
    today: dayIn(rules.timeZone, at),
    program,
    rules,
  });
  const adjustments = new Map<number, Adjustment>();
  return {
    versions,
    proposed,
    rulesOf: (version) => byVersion.get(version)!,
    placeOf: (version) => versions.findIndex(({ rules }) => rules.version === version),
    placeAt,
    commerceAt,
    published(place) {
      const kept = adjustments.get(place);
      if (kept !== undefined) return kept;
      const version = versions[place]!;
      const made = createAdjustment(versions[place - 1]!.program, commerceAt(version, version.inForceAt));
      adjustments.set(place, made);
      return made;
    },
    publishing: createAdjustment(versions[placeAt(at)]!.program, commerceAt(proposed, at)),
  };
}
