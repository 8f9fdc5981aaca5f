import type { Actor } from '#audit/audited.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { soldBeyond, writeBenefits } from '#benefits/write-benefits.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { Refusal } from '../refusal.ts';
import { adjustMembers } from './adjust-members.ts';
import { changesBetween } from '#program/changes.ts';
import { readStoredProgram } from '#program/stored-program.ts';
import { TiersNotTold, withTierIds } from '#program/tier-ids.ts';
import { warningsOf } from '#program/warnings.ts';

/** The result of applying a program, or of a dry run. */
export interface Applied {
  /** Null for a dry run of a new commerce. */
  readonly commerceId: number | null;
  readonly slug: string;
  readonly created: boolean;
  /** One line for each change of the program, and one for each kind of move on the ladder with the number of members. */
  readonly changes: string[];
  /** Parts of the program that have no effect, and changes that earlier purchases do not follow: one sentence each. */
  readonly warnings: string[];
}

export interface ApplyOptions {
  /** When the clock of a new sandbox starts; ignored for an existing commerce. */
  readonly clock?: Date | null;
  readonly dryRun?: boolean;
  /** Whom the audit of the commerce names. Without it, nobody: the demo and tests make commerces too. */
  readonly actorAt?: (commerceId: number) => Actor;
}

/** The program is valid but cannot be applied to this commerce in its present state. */
export class ProgramRefused extends Refusal {
  readonly problems: readonly ProgramProblem[];

  constructor(problems: readonly ProgramProblem[]) {
    super(problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
    this.problems = problems;
  }
}

/**
 * Creates or updates the commerce with the program's slug, in one transaction. The new rules apply to all members at
 * once: new thresholds lift members, and a new expiry never makes points expire sooner. Applying the same program again
 * changes nothing. A dry run does everything and then rolls it back.
 * @throws ProgramRefused
 */
export async function applyProgram(
  database: Database,
  program: Program,
  options: ApplyOptions = {},
): Promise<Applied> {
  const run = options.dryRun ? takeBack : transaction;
  const applied = await run(database, async (tx: Tx) => {
    const { cautions, ...changed } = await apply(tx, program, options.clock ?? null);
    const { commerceId, created, changes } = changed;
    const now = await readNow(tx, commerceId);
    if (options.actorAt && (created || changes.length > 0))
      await storeAuditEntry(tx, options.actorAt(commerceId), {
        action: created ? 'program.create' : 'program.apply',
        after: { changes },
      });
    return { ...changed, warnings: [...cautions, ...warningsOf(program, now)] };
  });
  return options.dryRun && applied.created ? { ...applied, commerceId: null } : applied;
}

async function readNow(tx: Tx, commerceId: number): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    select program_now(c) as now from commerces c where c.id = ${commerceId}`.execute(tx);
  return rows[0]!.now;
}

interface Changed extends Omit<Applied, 'warnings'> {
  readonly commerceId: number;
  readonly cautions: readonly string[];
}

/**
 * Creates the commerce of a program within the caller's transaction. Returns null if its slug is taken.
 * @throws ProgramRefused
 */
export async function createFromProgram(
  tx: Tx,
  program: Program,
): Promise<{ readonly commerceId: number; readonly changes: readonly string[] } | null> {
  await lockSlug(tx, program.slug);
  const existing = await lockCommerce(tx, program.slug);
  if (existing !== undefined) return null;
  const commerceId = await createWithBenefits(tx, withIds(program, null, []), null);
  return { commerceId, changes: changesBetween(null, program) };
}

/** Two applies of one slug run one after the other, even if the commerce does not exist yet. */
async function lockSlug(tx: Tx, slug: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${slug}, 0))`.execute(tx);
}

async function apply(tx: Tx, file: Program, clock: Date | null): Promise<Changed> {
  await lockSlug(tx, file.slug);
  const existing = await lockCommerce(tx, file.slug);
  const problems = existing === undefined ? [] : await findImpossible(tx, existing, file);
  const program = withIds(file, existing?.program ?? null, problems);
  const changes = changesBetween(existing?.program ?? null, program);
  if (existing === undefined) {
    const commerceId = await createWithBenefits(tx, program, clock);
    return { commerceId, slug: program.slug, created: true, changes, cautions: [] };
  }

  const { id: commerceId, version } = existing;
  if (changes.length === 0) return { commerceId, slug: program.slug, created: false, changes, cautions: [] };
  if (problems.length > 0) throw new ProgramRefused(problems);
  await updateCommerce(tx, commerceId, program, version + 1);
  await writeBenefits(tx, commerceId, program, version + 1);
  const moves = await adjustMembers(tx, commerceId, existing.program, program);
  const cautions = await cautionsOf(tx, commerceId, existing.program, program);
  return { commerceId, slug: program.slug, created: false, changes: [...changes, ...moves], cautions };
}

/** Says what a new currency or time zone means for the purchases that were recorded before. */
async function cautionsOf(db: Db, commerceId: number, before: Program, after: Program): Promise<string[]> {
  const isOtherCurrency = before.currency !== after.currency;
  const isOtherZone = before.time_zone !== after.time_zone;
  if (!isOtherCurrency && !isOtherZone) return [];
  const { rows } = await sql<{ purchases: number }>`
    select count(*) as purchases from movements
     where commerce_id = ${commerceId} and type = 'purchase'`.execute(db);
  const { purchases } = rows[0]!;
  if (purchases === 0) return [];
  const one = purchases === 1;
  const recorded = one ? '1 purchase was recorded' : `${purchases} purchases were recorded`;
  return [
    ...(isOtherCurrency
      ? [
          `currency: ${recorded} in ${before.currency}. ${one ? 'Its amount is not converted: it counts' : 'Their amounts are not converted: they count'} as so many ${after.currency}, in lifetime amounts and tiers too`,
        ]
      : []),
    ...(isOtherZone
      ? [
          `time_zone: ${recorded} by the days of ${before.time_zone}. Days begin in ${after.time_zone} from now on, for months and birthdays too, and no points expire sooner`,
        ]
      : []),
  ];
}

/** @param problems those found so far, which are refused together with an ambiguous ladder */
function withIds(file: Program, stored: Program | null, problems: readonly ProgramProblem[]): Program {
  try {
    return withTierIds(file, stored);
  } catch (error) {
    if (!(error instanceof TiersNotTold)) throw error;
    const ambiguous = { path: ['levels', 'ladder'], message: error.message, at: 'key' } as const;
    throw new ProgramRefused([...problems, ambiguous]);
  }
}

interface Existing {
  readonly id: number;
  readonly status: 'active' | 'paused' | 'closed';
  readonly version: number;
  readonly program: Program;
}

/** Locks out enrolments too, so that nobody joins under the old rules while members are moved to the new ones. */
async function lockCommerce(tx: Tx, slug: string): Promise<Existing | undefined> {
  const { rows } = await sql<Omit<Existing, 'program'> & { program: unknown }>`
    select c.id, c.status, c.program_version as version, p.program
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
     where c.slug = ${slug}
       for update of c`.execute(tx);
  const row = rows[0];
  return row && { ...row, program: readStoredProgram(row.program, row.id, row.version) };
}

async function createWithBenefits(tx: Tx, program: Program, clock: Date | null): Promise<number> {
  const commerceId = await createCommerce(tx, program, clock);
  await writeBenefits(tx, commerceId, program, 1);
  return commerceId;
}

async function createCommerce(tx: Tx, program: Program, clock: Date | null): Promise<number> {
  const { slug, status, sandbox, time_zone: timeZone } = program;
  const { rows } = await sql<{ id: number }>`
    insert into commerces (slug, status, sandbox, time_zone, clock_offset, program_version)
    values (${slug}, ${status}, ${sandbox}, ${timeZone}, coalesce(${clock}::timestamptz - clock_timestamp(), '0'), 1)
    returning id`.execute(tx);
  const commerceId = rows[0]!.id;
  await writeVersion(tx, commerceId, program, 1, clock);
  return commerceId;
}

async function updateCommerce(tx: Tx, commerceId: number, program: Program, version: number): Promise<void> {
  await writeVersion(tx, commerceId, program, version, null);
  await sql`
    update commerces
       set status = ${program.status}, time_zone = ${program.time_zone}, program_version = ${version}
     where id = ${commerceId}`.execute(tx);
}

/** @param clock the clock of a new commerce, as the file gives it; null to read the commerce's clock */
async function writeVersion(
  tx: Tx,
  commerceId: number,
  program: Program,
  version: number,
  clock: Date | null,
): Promise<void> {
  await sql`
    insert into programs (commerce_id, version, program, in_force_at)
    select c.id, ${version}, ${JSON.stringify(program)}::jsonb, coalesce(${clock}::timestamptz, program_now(c))
      from commerces c
     where c.id = ${commerceId}`.execute(tx);
}

/** Returns everything that rules the program out for an existing commerce, so that it can be corrected at once. */
async function findImpossible(db: Db, existing: Existing, program: Program): Promise<ProgramProblem[]> {
  if (existing.status === 'closed') {
    const message = `${program.slug} is closed; its program cannot be changed`;
    return [{ path: ['slug'], message, at: 'value' }];
  }
  const sandbox: ProgramProblem = {
    path: ['sandbox'],
    message: `must stay ${existing.program.sandbox}, not ${program.sandbox}: it cannot be changed after creation; give the commerce another slug`,
    at: 'value',
  };
  const oversold = (await soldBeyond(db, existing.id, program)).map(({ id, sold }): ProgramProblem => {
    const index = program.benefits.findIndex((benefit) => benefit.id === id);
    const limit = program.benefits[index]?.buy_limit;
    const message = `must be at least ${sold}, not ${limit}, because ${sold} are sold already; set on_sale: false to stop selling it`;
    return { path: ['benefits', index, 'buy_limit'], message, at: 'value' };
  });
  return [...(existing.program.sandbox === program.sandbox ? [] : [sandbox]), ...oversold];
}

/**
 * Returns what applying a program would do where there is no commerce at all, not even a database.
 * @throws ProgramRefused
 */
export function previewNewCommerce(file: Program, now: Date): Applied {
  const program = withIds(file, null, []);
  const changes = changesBetween(null, program);
  return {
    commerceId: null,
    slug: program.slug,
    created: true,
    changes,
    warnings: warningsOf(program, now),
  };
}
