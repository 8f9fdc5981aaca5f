import type { Actor, Audited } from '#audit/audited.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { writeBenefits } from '#benefits/write-benefits.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { newCommerceId } from '#commerces/new-commerce-id.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { takeBack } from '#db/take-back.ts';
import { Refusal } from '#base/refusal.ts';
import { adjustMembers } from './adjust-members.ts';
import { cautionsOf, missingPictures } from './cautions.ts';
import { findImpossible } from './find-impossible.ts';
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
  /** The version that is in force now. */
  readonly version: number;
  /** One line for each change of the program, and one for each kind of move on the ladder with the number of members. */
  readonly changes: string[];
  /** Parts of the program that have no effect, and changes that earlier purchases do not follow: one sentence each. */
  readonly warnings: string[];
}

export interface ApplyOptions {
  /** When the clock of a new sandbox starts; ignored for an existing commerce. */
  readonly clock?: Date | null;
  readonly dryRun?: boolean;
  /** The actor that the version and the audit name. Without it, they name nobody: the demo and tests make commerces too. */
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
    const clock = options.clock ?? null;
    const isDryRun = options.dryRun ?? false;
    const { answer, entry } = await applyIn(tx, program, {
      clock,
      isDryRun,
      authorAt: options.actorAt ?? nobody,
    });
    if (options.actorAt && entry !== null)
      await storeAuditEntry(tx, options.actorAt(answer.commerceId), entry);
    return answer;
  });
  return options.dryRun && applied.created ? { ...applied, commerceId: null } : applied;
}

const nobody = () => null;

/** The part of an actor that a version keeps. */
export type Author =
  | { readonly kind: 'staff'; readonly staffId: number }
  | { readonly kind: 'key'; readonly keyId: number }
  | { readonly kind: 'command_line' };

interface Publication {
  readonly clock?: Date | null;
  /** True if the transaction will be rolled back. */
  readonly isDryRun?: boolean;
  /** Called once the commerce exists. A new one may get its first person then. */
  readonly authorAt: (commerceId: number) => Author | null | Promise<Author | null>;
  /** The author's note on the version. */
  readonly note?: string | null;
}

/**
 * Creates or updates the commerce with the program's slug, as part of a transaction. It ends with the entry of the audit,
 * which is null if nothing has changed.
 * @throws ProgramRefused
 */
export async function applyIn(
  tx: Tx,
  program: Program,
  { clock = null, isDryRun = false, authorAt, note = null }: Publication,
): Promise<Audited<Applied & { readonly commerceId: number }>> {
  const { cautions, ...changed } = await apply(tx, program, { clock, isDryRun });
  const { commerceId, created, version, changes } = changed;
  const now = await readNow(tx, commerceId);
  const answer = {
    ...changed,
    warnings: [...cautions, ...(await missingPictures(tx, program)), ...warningsOf(program, now)],
  };
  if (!created && changes.length === 0) return { answer, entry: null };
  await signVersion(tx, commerceId, version, { author: await authorAt(commerceId), note, changes });
  await storeHappenings(tx, [
    { type: 'program.published', commerceId, memberId: null, at: now, facts: { version } },
  ]);
  const action = created ? 'program.create' : 'program.apply';
  return { answer, entry: { action, after: { version, changes }, personal: { reason: note } } };
}

async function readNow(tx: Tx, commerceId: number): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    select program_now(c.clock_offset) as now from commerces c where c.id = ${commerceId}`.execute(tx);
  return rows[0]!.now;
}

/** The facts that a new commerce needs besides its program. */
interface Creation {
  readonly clock: Date | null;
  readonly isDryRun: boolean;
}

interface Changed extends Omit<Applied, 'warnings'> {
  readonly commerceId: number;
  readonly cautions: readonly string[];
}

async function apply(tx: Tx, file: Program, creation: Creation): Promise<Changed> {
  const existing = await lockProgram(tx, file.slug);
  const problems = existing === undefined ? [] : await findImpossible(tx, existing, file);
  const program = withIds(file, existing?.program ?? null, problems);
  const changes = changesBetween(existing?.program ?? null, program);
  if (existing === undefined) {
    const commerceId = await createCommerce(tx, program, creation);
    await writeBenefits(tx, commerceId, program, 1);
    return { commerceId, slug: program.slug, created: true, version: 1, changes, cautions: [] };
  }

  const { id: commerceId, version } = existing;
  const unchanged = { commerceId, slug: program.slug, created: false, version, changes, cautions: [] };
  if (changes.length === 0) return unchanged;
  if (problems.length > 0) throw new ProgramRefused(problems);
  const next = version + 1;
  await updateCommerce(tx, commerceId, program, next);
  await writeBenefits(tx, commerceId, program, next);
  const moves = await adjustMembers(tx, commerceId, existing.program, program);
  const cautions = await cautionsOf(tx, commerceId, existing.program, program);
  return { ...unchanged, version: next, changes: [...changes, ...moves], cautions };
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

/** A commerce whose program nobody else can change until the end of the transaction. */
export interface Existing {
  readonly id: number;
  readonly status: 'active' | 'paused' | 'closed';
  readonly version: number;
  readonly program: Program;
}

/**
 * Returns the program in force, undefined if there is no such commerce. Two applies of one slug run one after the other, even
 * if the commerce does not exist yet. Locks out enrolments too, so that nobody joins under the old rules while members are
 * moved to the new ones.
 */
export async function lockProgram(tx: Tx, slug: string): Promise<Existing | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${slug}, 0))`.execute(tx);
  const { rows } = await sql<Omit<Existing, 'program'>>`
    select c.id, c.status, c.program_version as version from commerces c where c.slug = ${slug} for update of c`.execute(
    tx,
  );
  const commerce = rows[0];
  if (commerce === undefined) return undefined;
  const { id, version } = commerce;
  const { rows: versions } = await sql<{ program: unknown }>`
    select program from programs where commerce_id = ${id} and version = ${version}`.execute(tx);
  return { ...commerce, program: readStoredProgram(versions[0]!.program, id, version) };
}

async function createCommerce(tx: Tx, program: Program, { clock, isDryRun }: Creation): Promise<number> {
  const { slug, status, sandbox, time_zone: timeZone } = program;
  const { rows } = await sql<{ id: number }>`
    insert into commerces (id, slug, status, sandbox, time_zone, clock_offset, program_version)
    values (${newCommerceId(isDryRun)}, ${slug}, ${status}, ${sandbox}, ${timeZone}, coalesce(${clock}::timestamptz - clock_timestamp(), '0'), 1)
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
    select c.id, ${version}, ${JSON.stringify(program)}::jsonb, coalesce(${clock}::timestamptz, program_now(c.clock_offset))
      from commerces c
     where c.id = ${commerceId}`.execute(tx);
}

/** Writes on a version who published it and what it changed, which is known once the members have moved. */
async function signVersion(
  tx: Tx,
  commerceId: number,
  version: number,
  by: { readonly author: Author | null; readonly note: string | null; readonly changes: readonly string[] },
): Promise<void> {
  const { author, note, changes } = by;
  await sql`
    update programs
       set actor = ${author?.kind ?? null}, staff_id = ${author?.kind === 'staff' ? author.staffId : null},
           key_id = ${author?.kind === 'key' ? author.keyId : null}, note = ${note}, changes = ${JSON.stringify(changes)}::jsonb
     where commerce_id = ${commerceId} and version = ${version}`.execute(tx);
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
    version: 1,
    changes,
    warnings: warningsOf(program, now),
  };
}
