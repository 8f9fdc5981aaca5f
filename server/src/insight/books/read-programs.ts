/** Reads the programs of many commerces as the checks need them. */
import { sql, type Db } from '#db/database.ts';
import type { Program } from '#program/program.ts';
import { readStoredProgram, UnreadableProgram } from '#program/stored-program.ts';
import type { Step } from '#points/points-for-purchase.ts';
import type { StoredSnapshot } from '#purchases/decide-purchase.ts';
import { expectedStamps } from './check-stamps.ts';
import { usedBy } from './check-rules.ts';
import { checkedFactors, type CheckedFactors } from './check-factors.ts';

/** The programs of a commerce by version, except those that cannot be read. */
export type Programs = ReadonlyMap<number, ProgramOfBooks>;

export interface ProgramOfBooks {
  /** The place of a tier is its rank. */
  readonly ladder: Program['levels']['ladder'];
  readonly thresholdsOf: 'points' | 'amount';
  /** False if a tier that was reached stays for ever. */
  readonly tiersEnd: boolean;
  /** True if a release published it that knew tiers by their place, or may have been one. */
  readonly isByPlace: boolean;
  readonly factors: CheckedFactors;
  /** The first version of those up to this one that all carry remainders; null if this one does not. */
  readonly carriesSince: number | null;
  /** For how many days points wait, and what happens then; null if they do not. */
  readonly waits: { readonly days: number; readonly becomes: string } | null;
  /** Returns what is wrong with the rules that a purchase names as used up; null if nothing is. */
  readonly wrongUse: (snapshot: StoredSnapshot, factors: readonly Step[]) => string | null;
  /** The cards that purchases stamp, and what of them a purchase must stamp. */
  readonly stamps: Program['stamps'];
  readonly expectedStamps: ReturnType<typeof expectedStamps>;
  /** Returns the local day of an instant in milliseconds. */
  readonly dayOf: (at: number) => string;
  /** The prices of the benefits that are for sale, by id. */
  readonly prices: ReadonlyMap<string, number>;
  /** The points of each event that is rewarded with points. */
  readonly rewards: ReadonlyMap<string, number>;
}

/** Returns the programs of each of these commerces. */
export async function readPrograms(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, Programs>> {
  const read = new Map<number, Map<number, ProgramOfBooks>>(commerceIds.map((id) => [id, new Map()]));
  for (let from = 0; from < commerceIds.length; from += AT_A_TIME) {
    const { rows } = await sql<Row>`
      select commerce_id as "commerceId", version, program as stored, changes is null as "isByPlace"
        from programs
       where commerce_id = any(${commerceIds.slice(from, from + AT_A_TIME)}::bigint[])
       order by commerce_id, version`.execute(db);
    for (const { commerceId, version, stored, isByPlace } of rows) {
      try {
        const program = readStoredProgram(stored, commerceId, version);
        const programs = read.get(commerceId)!;
        const carriesSince = program.earning.carry_remainder
          ? (programs.get(version - 1)?.carriesSince ?? version)
          : null;
        programs.set(version, programOfBooks(program, isByPlace, carriesSince));
      } catch (error) {
        if (!(error instanceof UnreadableProgram)) throw error;
      }
    }
  }
  return read;
}

function wrongUse(program: Program, snapshot: StoredSnapshot, factors: readonly Step[]): string | null {
  const saidOf = (kind: Step[0]): readonly unknown[] =>
    factors.find((step) => step[0] === kind)?.slice(2) ?? [];
  const multiplied = (saidOf('lines')[1] ?? []) as (readonly unknown[])[];
  const added = (saidOf('added')[0] ?? []) as (readonly unknown[])[];
  const used = [...(snapshot.used ?? [])].toSorted();
  const { lines } = snapshot;
  const hasRoom = saidOf('cap')[0] !== 0;
  const isPaid = (place: number) => lines === undefined || lines[place]![0] > 0;
  const expected = hasRoom ? usedBy(program, multiplied, added, isPaid) : [];
  // Earlier releases counted multipliers of lines of 0, too, and what a cap without room left of nothing.
  const formerly = usedBy(program, multiplied, added, () => true);
  return [expected, formerly].some((right) => JSON.stringify(used) === JSON.stringify(right))
    ? null
    : `it counts for the limits of ${used.join(', ') || 'no rule'}, not of ${expected.join(', ') || 'none'}`;
}

/** A program can be large, and a commerce can have many. */
const AT_A_TIME = 50;

interface Row {
  readonly commerceId: number;
  readonly version: number;
  readonly stored: unknown;
  readonly isByPlace: boolean;
}

function programOfBooks(program: Program, isByPlace: boolean, carriesSince: number | null): ProgramOfBooks {
  const { levels, benefits, rewards } = program;
  return {
    ladder: levels.ladder,
    thresholdsOf: levels.threshold_type,
    tiersEnd: levels.valid_months !== null,
    isByPlace,
    factors: checkedFactors(program, carriesSince),
    carriesSince,
    waits: waitsOf(program.earning.pending),
    stamps: program.stamps,
    expectedStamps: expectedStamps(program),
    dayOf: (at) =>
      Temporal.Instant.fromEpochMilliseconds(at)
        .toZonedDateTimeISO(program.time_zone)
        .toPlainDate()
        .toString(),
    wrongUse: (snapshot, factors) => wrongUse(program, snapshot, factors),
    prices: new Map(
      benefits
        .filter((one) => one.benefit_type === 'normal' && one.on_sale)
        .map(({ id, cost }) => [id, cost]),
    ),
    rewards: new Map(
      Object.entries(rewards).flatMap(([event, reward]) =>
        typeof reward?.points === 'number' ? [[event, reward.points] as const] : [],
      ),
    ),
  };
}

function waitsOf(pending: Program['earning']['pending']): ProgramOfBooks['waits'] {
  if (pending === null) return null;
  return pending.until === 'confirmed'
    ? { days: pending.cancel_after_days ?? Number.NaN, becomes: 'cancelled' }
    : { days: pending.days ?? Number.NaN, becomes: 'available' };
}
