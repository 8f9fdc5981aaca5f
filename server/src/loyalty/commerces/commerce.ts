import { LRUCache } from 'lru-cache';
import { sql, type Db } from '#db/database.ts';
import { remembered } from '#db/memory.ts';
import { createDayReaders, type Day } from '#calendar/calendar.ts';
import type { Program } from '#program/program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Rules } from '#program/rules.ts';
import { readStoredProgram } from '#program/stored-program.ts';

/** A commerce at one instant of its own clock. */
export interface Commerce {
  readonly id: number;
  readonly slug: string;
  readonly status: 'active' | 'paused' | 'closed';
  readonly sandbox: boolean;
  /** The time of the commerce's clock, and its local day. */
  readonly now: Date;
  readonly today: Day;
  readonly program: Program;
  readonly rules: Rules;
}

/**
 * Reads commerces by id: status, clock and current program. Unknown ids are left out. A use case calls this after
 * taking its locks, so that `now` is not earlier than the changes that the locks waited for.
 */
export async function readCommerces(db: Db, ids: readonly number[]): Promise<Map<number, Commerce>> {
  const rows = await readRows(db, ids);
  const commerces = await Promise.all(
    rows.map(async (row) => commerceWith(db, row, await readProgramVersion(db, row.id, row.version))),
  );
  return new Map(commerces.map((commerce) => [commerce.id, commerce]));
}

/** Reads one commerce by id, whatever its status. Returns undefined if there is none. */
export async function readCommerce(db: Db, id: number): Promise<Commerce | undefined> {
  return (await readCommerces(db, [id])).get(id);
}

/**
 * Reads a commerce as it will be with this program, for the caller that is applying it. Nothing is cached, because
 * the new version may never be committed.
 */
export async function readCommerceUnder(db: Db, id: number, program: Program): Promise<Commerce | undefined> {
  const [row] = await readRows(db, [id]);
  return row && commerceWith(db, row, { program, rules: rulesOf(program, row.version) });
}

/** Returns a commerce's program at a version. */
export async function readProgram(db: Db, commerceId: number, version: number): Promise<Program> {
  return (await readProgramVersion(db, commerceId, version)).program;
}

/** Returns a commerce's rules at a version. */
export async function readRules(db: Db, commerceId: number, version: number): Promise<Rules> {
  return (await readProgramVersion(db, commerceId, version)).rules;
}

/** Returns a commerce's rules that were in force at an instant of its own clock, or the first ones if it had none yet. */
export async function readRulesInForce(db: Db, commerceId: number, at: Date): Promise<Rules> {
  const { rows } = await sql<{ version: number }>`-- find-version-in-force
    select coalesce(max(version) filter (where in_force_at <= ${at}), min(version)) as version
      from programs
     where commerce_id = ${commerceId}`.execute(db);
  return readRules(db, commerceId, rows[0]!.version);
}

/** Returns the id of the commerce with this slug, whatever its status. */
export async function commerceIdOf(db: Db, slug: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select id from commerces where slug = ${slug}`.execute(db);
  return rows[0]?.id;
}

interface CommerceRow {
  readonly id: number;
  readonly slug: string;
  readonly status: Commerce['status'];
  readonly sandbox: boolean;
  readonly timeZone: string;
  readonly version: number;
  readonly now: Date;
}

async function readRows(db: Db, ids: readonly number[]): Promise<CommerceRow[]> {
  const { rows } = await sql<CommerceRow>`-- read-commerces
    select c.id, c.slug, c.status, c.sandbox, c.time_zone as "timeZone",
           c.program_version as version, program_now(c.clock_offset) as now
      from commerces c
     where c.id = any(${ids}::bigint[])`.execute(db);
  return rows;
}

function commerceWith(db: Db, row: CommerceRow, { program, rules }: ProgramVersion): Commerce {
  const { id, slug, status, sandbox, now, timeZone } = row;
  return { id, slug, status, sandbox, now, today: dayReadersOf(db)(timeZone)(now), program, rules };
}

// The day of an instant never changes. Asking for it takes 4 µs, for each commerce of a batch.
const dayReadersOf = remembered(createDayReaders);

interface ProgramVersion {
  readonly program: Program;
  readonly rules: Rules;
}

// A program version never changes, so cached versions are right in every process. The current version is read anew by
// every use case, from the commerce's row.
const versionsOf = remembered(() => new LRUCache<string, ProgramVersion>({ max: 1_000 }));

async function readProgramVersion(db: Db, commerceId: number, version: number): Promise<ProgramVersion> {
  const versions = versionsOf(db);
  const key = `${commerceId}/${version}`;
  const kept = versions.get(key);
  if (kept !== undefined) return kept;

  const { rows } = await sql<{ program: unknown }>`-- read-program
    select program
      from programs
     where commerce_id = ${commerceId} and version = ${version}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error(`commerce ${commerceId} has no program version ${version}`);
  const program = readStoredProgram(row.program, commerceId, version);
  const carriesSince = program.earning.carry_remainder
    ? await readBeginning(db, commerceId, version)
    : undefined;
  const read = { program, rules: rulesOf(program, version, carriesSince) };
  versions.set(key, read);
  return read;
}

/** Returns the first version since which all have carried remainders, up to this one. */
async function readBeginning(db: Db, commerceId: number, version: number): Promise<number> {
  const { rows } = await sql<{ since: number }>`-- find-beginning-of-remainders
    select coalesce(max(version), 0) + 1 as since
      from programs
     where commerce_id = ${commerceId} and version < ${version}
       and program #>> '{earning,carry_remainder}' is distinct from 'true'`.execute(db);
  return rows[0]!.since;
}

/** A commerce that exists and is not closed. */
export interface OpenCommerce {
  readonly id: number;
  readonly sandbox: boolean;
}

/** Returns the commerces of these that exist and are not closed, by id. */
export async function findOpenCommerces(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, OpenCommerce>> {
  const { rows } = await sql<OpenCommerce>`-- find-open-commerces
    select id, sandbox from commerces where id = any(${[...ids]}::bigint[]) and status <> 'closed'`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
