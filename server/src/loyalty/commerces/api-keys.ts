/**
 * The API keys of a commerce's own servers. A key is shown once, when it is created. After that only its hash is
 * stored.
 */
import { isWorkingKey } from '#audit/working-key.ts';
import { sql, type Database, type Db, type Tx } from '#db/database.ts';
import { forgetRemembered } from '#batching/short-memory.ts';
import type { StaffKey } from '#http/credentials.ts';
import { DEFAULT_SCOPES, type KeyScope } from '#http/key-scopes.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { hashOfKey, isKeyToken, isStaffKeyToken, newKeyToken, prefixOfKey } from './key-token.ts';

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** The key's first characters. */
  readonly prefix: string;
  /** The rights of a key of the back office; null for a key of the contract. */
  readonly role: StaffRole | null;
  /** The rights of a key of the contract; null for a key of the back office. */
  readonly scopes: readonly KeyScope[] | null;
  readonly createdAt: Date;
  /** About a minute exact. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** When a key that was replaced ends or has ended; null if nobody has ended it. */
  readonly endsAt: Date | null;
  readonly isWorking: boolean;
  readonly replacesId: number | null;
  readonly replacedById: number | null;
}

/** Selects what a key `api_keys k` may do; null for a key of the back office, which has a role. */
export const scopesOfKey = sql.raw('case when k.role is null then k.scopes end');

/** The rights of a new key, and the key whose place it takes. */
export interface KeyTerms {
  /** With a role, the key is one of the back office, which has no scopes. */
  readonly role?: StaffRole | null;
  readonly scopes?: readonly KeyScope[] | null;
  /** The key whose place it takes. */
  readonly replacesId?: number | null;
}

/** Creates a key for an existing commerce. `key` is its full text, which cannot be read again. */
export async function createKey(
  db: Database | Tx,
  commerceId: number,
  name: string,
  { role = null, scopes = null, replacesId = null }: KeyTerms = {},
): Promise<{ id: number; key: string }> {
  const commerce = await sql<{ sandbox: boolean }>`
    select sandbox from commerces where id = ${commerceId}`.execute(db);
  const key = newKeyToken(role !== null ? 'admin' : commerce.rows[0]?.sandbox === true ? 'test' : 'live');
  const { rows } = await sql<{ id: number }>`
    insert into api_keys (hash, commerce_id, name, prefix, role, scopes, replaces_id)
    values (${hashOfKey(key)}, ${commerceId}, ${name}, ${prefixOfKey(key)}, ${role},
            ${role === null ? [...(scopes ?? DEFAULT_SCOPES)] : []}::text[], ${replacesId})
    returning id`.execute(db);
  return { id: rows[0]!.id, key };
}

/** Returns all keys of a commerce, including those that have ended, oldest first. */
export async function listKeys(db: Db, commerceId: number): Promise<ApiKey[]> {
  const { rows } = await sql<ApiKey>`-- list-keys
    select k.id, k.name, k.prefix, k.role, ${scopesOfKey} as scopes, k.created_at as "createdAt", u.last_used_at as "lastUsedAt",
           k.revoked_at as "revokedAt", least(k.revoked_at, k.ends_at) as "endsAt",
           ${isWorkingKey} as "isWorking", k.replaces_id as "replacesId", n.id as "replacedById"
      from api_keys k
      left join api_key_uses u on u.commerce_id = k.commerce_id and u.key_id = k.id
      left join api_keys n on n.commerce_id = k.commerce_id and n.replaces_id = k.id
     where k.commerce_id = ${commerceId}
     order by k.id`.execute(db);
  return rows;
}

/** Revokes a key for good. Returns false if the commerce has no such key that is still valid. */
export async function revokeKey(db: Database | Tx, commerceId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    update api_keys
       set revoked_at = now()
     where commerce_id = ${commerceId} and id = ${id} and revoked_at is null
    returning id`.execute(db);
  forgetRemembered(db);
  return rows.length === 1;
}

/** Revokes every key of a commerce. Returns how many were still valid. */
export async function revokeAllKeys(db: Database | Tx, commerceId: number): Promise<number> {
  const { rows } = await sql`
    update api_keys
       set revoked_at = now()
     where commerce_id = ${commerceId} and revoked_at is null
    returning id`.execute(db);
  forgetRemembered(db);
  return rows.length;
}

/** A valid key, and the commerce that it belongs to. */
export interface FoundKey {
  readonly commerceId: number;
  readonly keyId: number;
  readonly scopes: readonly KeyScope[];
  /** Whether the commerce is a sandbox. */
  readonly sandbox: boolean;
}

/** Returns the commerce of a key. Returns null if the key is unknown or revoked, or its commerce is closed. */
export async function findKey(db: Db, token: string): Promise<FoundKey | null> {
  return (await findKeys(db, [token]))[0]!;
}

/** Does the same for many keys, in order. Malformed keys and those with a wrong checksum take no query. */
export async function findKeys(db: Db, tokens: readonly string[]): Promise<(FoundKey | null)[]> {
  const hashes = tokens.map((token) => (isKeyToken(token) ? hashOfKey(token) : null));
  const wanted = hashes.filter((hash) => hash !== null);
  if (wanted.length === 0) return tokens.map(() => null);
  const { rows } = await sql<FoundKey & { hash: Buffer }>`-- find-keys
    select k.commerce_id as "commerceId", k.id as "keyId", k.scopes, c.sandbox, k.hash
      from api_keys k
      join commerces c on c.id = k.commerce_id
     where k.hash = any(${wanted}::bytea[])
       and ${isWorkingKey} and k.role is null
       and c.status <> 'closed'`.execute(db);
  const found = new Map(rows.map(({ hash, ...key }) => [hash.toString('hex'), key]));
  return hashes.map((hash) => (hash === null ? null : (found.get(hash.toString('hex')) ?? null)));
}

/** Returns keys of the back office, in order; null for each that is unknown or revoked, or whose commerce is closed. */
export async function findStaffKeys(db: Db, tokens: readonly string[]): Promise<(StaffKey | null)[]> {
  const hashes = tokens.map((token) => (isStaffKeyToken(token) ? hashOfKey(token) : null));
  const wanted = hashes.filter((hash) => hash !== null);
  if (wanted.length === 0) return tokens.map(() => null);
  const { rows } = await sql<StaffKey & { hash: Buffer }>`-- find-staff-keys
    select k.commerce_id as "commerceId", k.id as "keyId", k.role, k.hash
      from api_keys k
      join commerces c on c.id = k.commerce_id
     where k.hash = any(${wanted}::bytea[])
       and ${isWorkingKey} and k.role is not null
       and c.status <> 'closed'`.execute(db);
  const found = new Map(rows.map(({ hash, ...key }) => [hash.toString('hex'), key]));
  return hashes.map((hash) => (hash === null ? null : (found.get(hash.toString('hex')) ?? null)));
}
