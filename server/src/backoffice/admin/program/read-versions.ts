import { readProgram } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import { changesBetween } from '#program/changes.ts';
import type { Program } from '#program/program.ts';
import { auditActor, type AuditActor } from '../audit/audit-actor.ts';

/** A version of a program that is or was in force. */
export interface Version {
  readonly version: number;
  readonly inForceAt: Date;
  /** Null if nobody noted it: an older release did not. */
  readonly author: AuditActor | null;
  readonly note: string | null;
  /** The number of lines that `readChanges` returns. */
  readonly changes: number;
}

/** 404: the program never had this version. */
export class UnknownVersion extends NotFound {
  constructor() {
    super('this program has no such version: GET /admin/v1/program/versions lists them');
  }
}

const PAGE = 20;

/** Returns a page of the versions below one, newest first, and whether there are more. */
export async function readVersions(
  db: Db,
  commerceId: number,
  below: number = Number.MAX_SAFE_INTEGER,
): Promise<{ readonly versions: Version[]; readonly hasMore: boolean }> {
  const { rows } = await sql<VersionRow>`-- read-program-versions
    ${selectVersions(sql`a.commerce_id = ${commerceId} and a.version < ${below}::bigint`)}
     order by a.version desc
     limit ${PAGE + 1}`.execute(db);
  const versions: Version[] = [];
  // One after the other: a call has one connection, and only versions of an older release have to be compared.
  for (const row of rows.slice(0, PAGE)) versions.push(await versionOf(db, commerceId, row));
  return { versions, hasMore: rows.length > PAGE };
}

/** @throws UnknownVersion */
export async function readVersion(db: Db, commerceId: number, version: number): Promise<Version> {
  const { rows } = await sql<VersionRow>`-- read-program-version
    ${selectVersions(sql`a.commerce_id = ${commerceId} and a.version = ${version}::bigint`)}`.execute(db);
  if (rows[0] === undefined) throw new UnknownVersion();
  return versionOf(db, commerceId, rows[0]);
}

/** Returns what a version changed in the one before it, one line each, and how many members moved if that was noted. */
export async function readChanges(db: Db, commerceId: number, version: number): Promise<string[]> {
  const { rows } = await sql<{ changes: string[] | null }>`
    select changes from programs where commerce_id = ${commerceId} and version = ${version}`.execute(db);
  return rows[0]?.changes ?? (await compareWithBefore(db, commerceId, version));
}

type VersionRow = Omit<Version, 'changes'> & { readonly changes: number | null };

function selectVersions(condition: Sql): Sql {
  return sql`select a.version, a.in_force_at as "inForceAt", a.note, jsonb_array_length(a.changes) as changes,
           case when a.actor is not null then ${auditActor} end as author
      from programs a
      left join staff s on s.commerce_id = a.commerce_id and s.id = a.staff_id
      left join staff_people w on w.id = s.person_id
      left join api_keys k on k.commerce_id = a.commerce_id and k.id = a.key_id
     where ${condition}`;
}

async function versionOf(db: Db, commerceId: number, row: VersionRow): Promise<Version> {
  const changes = row.changes ?? (await compareWithBefore(db, commerceId, row.version)).length;
  return { ...row, changes };
}

/** For a version whose changes nobody noted. */
async function compareWithBefore(db: Db, commerceId: number, version: number): Promise<string[]> {
  const before: Program | null = version === 1 ? null : await readProgram(db, commerceId, version - 1);
  return changesBetween(before, await readProgram(db, commerceId, version));
}
