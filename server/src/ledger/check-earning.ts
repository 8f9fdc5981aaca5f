/**
 * Recomputes the points of purchases and returns from the snapshots in the ledger. This is not done in SQL because a
 * factor may depend on a local day, and PostgreSQL's time zones may be of another year than Node's.
 */
import { sql, type Db } from '#db/database.ts';
import { factorsOf } from '#points/factors-of.ts';
import type { Step } from '#points/points-for-purchase.ts';
import type { Program } from '#program/program.ts';
import { readStoredProgram, UnreadableProgram } from '#program/stored-program.ts';
import type { StoredSnapshot } from '#purchases/decide-purchase.ts';
import type { ReversalSnapshot } from '#purchases/decide-reversal.ts';
import { factorsOff, figuresBy } from './check-factors.ts';
import { judgeRows, type Pass } from './judge-rows.ts';

/** The programs of a commerce by version, except those that cannot be read. */
type Programs = ReadonlyMap<number, ProgramOfBooks>;

interface ProgramOfBooks {
  readonly ladder: Program['levels']['ladder'];
  readonly off: ReturnType<typeof factorsOff>;
}

/** Figures are strings, so that one beyond a safe integer is reported and does not throw. */
interface PurchaseRow {
  readonly memberId: number;
  readonly movementId: number;
  /** Milliseconds since 1970, because parsing an instant would take as long as judging the row. */
  readonly atMs: number;
  readonly amount: string;
  readonly points: string;
  readonly pointsEarned: string;
  readonly purchases: number;
  readonly snapshot: StoredSnapshot;
}

const purchases = judgeRows(
  (commerceId) => sql<PurchaseRow>`
    select member_id as "memberId", id as "movementId", (extract(epoch from at) * 1000)::bigint as "atMs",
           amount::text as amount, points::text as points, points_earned::text as "pointsEarned", purchases, snapshot
      from movements
     where commerce_id = ${commerceId} and type = 'purchase'`,
  readPrograms,
  {
    'a purchase earned what its rule gives': wrongPurchase,
    'a purchase followed the program of its version': offProgram,
  },
);

interface ReturnRow extends Omit<PurchaseRow, 'atMs' | 'snapshot'> {
  readonly snapshot: ReversalSnapshot;
  readonly reversesId: number;
  /** True if the return is of a purchase by the same member. */
  readonly isOfPurchase: boolean;
  readonly rule: StoredSnapshot;
  /** The rest of the purchase's amount and points after this return. */
  readonly kept: string;
  readonly earned: string;
}

const returns = judgeRows(
  (commerceId) => sql<ReturnRow>`
    select r.member_id as "memberId", r.id as "movementId", r.amount::text as amount, r.points::text as points,
           r.points_earned::text as "pointsEarned", r.purchases, r.snapshot, r.reverses_id as "reversesId",
           coalesce(p.type = 'purchase' and p.member_id = r.member_id, false) as "isOfPurchase", p.snapshot as rule,
           (p.amount + sum(r.amount) over pieces)::text as kept,
           (p.points_earned + sum(r.points_earned) over pieces)::text as earned
      from movements r
      left join movements p on p.commerce_id = r.commerce_id and p.id = r.reverses_id
     where r.commerce_id = ${commerceId} and r.type = 'reversal'
    window pieces as (partition by r.reverses_id order by r.id)`,
  readPrograms,
  { 'a return took back what its purchase earned': wrongReturn },
);

export const earningPasses: readonly Pass[] = [purchases, returns];

async function readPrograms(db: Db, commerceId: number): Promise<Programs> {
  const { rows } = await sql<{ version: number; stored: unknown }>`
    select version, program as stored from programs where commerce_id = ${commerceId}`.execute(db);
  const programs = new Map<number, ProgramOfBooks>();
  for (const { version, stored } of rows) {
    try {
      const program = readStoredProgram(stored, commerceId, version);
      programs.set(version, { ladder: program.levels.ladder, off: factorsOff(program) });
    } catch (error) {
      if (!(error instanceof UnreadableProgram)) throw error;
    }
  }
  return programs;
}

function wrongPurchase(row: PurchaseRow, programs: Programs): string | null {
  const { amount, points, pointsEarned, snapshot } = row;
  const factors = factorsOf(snapshot, tierOf(snapshot, programs)?.name ?? null);
  const figures = figuresBy(factors, BigInt(amount));
  const earned = String(figures.at(-1));
  const isRight =
    BigInt(amount) > 0n &&
    row.purchases === 1 &&
    pointsEarned === earned &&
    points === earned &&
    factors.every((step, i) => BigInt(step[1]) === figures[i]);
  if (isRight) return null;
  return `${amount} spent earns ${told(factors, figures)}, and it has ${pointsEarned}, ${points} on the balance, kept as ${told(factors)}`;
}

/** Returns, for example, `money 17, double 34`. */
function told(factors: readonly Step[], figures?: readonly bigint[]): string {
  return factors.map(([kind, points], i) => `${kind} ${figures?.[i] ?? points}`).join(', ');
}

function offProgram({ atMs, snapshot }: PurchaseRow, programs: Programs): string | null {
  const at = new Date(atMs);
  const program = programs.get(snapshot.rule);
  if (program === undefined) return `made by version ${snapshot.rule} of the program, which cannot be read`;
  const tier = tierOf(snapshot, programs);
  const off = program.off(factorsOf(snapshot, tier?.name ?? null), { at, tier });
  if (off.length === 0) return null;
  return `made at ${at.toISOString()} by version ${snapshot.rule} of the program, which differs in: ${off.join(', ')}`;
}

/** If the member's rank was no longer in the program, the highest rank below it counts. */
function tierOf({ rule, tier }: StoredSnapshot, programs: Programs) {
  const ladder = programs.get(rule)?.ladder ?? [];
  return tier === null ? undefined : ladder[Math.min(tier, ladder.length) - 1];
}

/** After each return, the purchase must have earned what its rule gives for the rest of its amount. */
function wrongReturn(row: ReturnRow): string | null {
  const [kept, earned, points] = [BigInt(row.kept), BigInt(row.earned), BigInt(row.points)];
  const figure = figuresBy(factorsOf(row.rule, null), kept).at(-1);
  const forgiven = row.snapshot.forgiven.reduce((sum, [, , points]) => sum + BigInt(points), 0n);
  const owed = BigInt(row.pointsEarned) + forgiven;
  const isRight =
    row.isOfPurchase &&
    BigInt(row.amount) < 0n &&
    kept >= 0n &&
    earned === figure &&
    row.purchases === (kept === 0n ? -1 : 0) &&
    (row.snapshot.policy === 'clamp' ? owed <= points && points <= 0n : points === owed);
  if (isRight) return null;
  return `it leaves ${kept} of purchase ${row.reversesId}, which would have earned ${figure}; left are ${earned}, ${points} on the balance`;
}
