import assert from 'node:assert/strict';
import { buildApp } from '../../src/app.ts';
import { sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import type { App } from '#http/server.ts';
import type { Release } from './release.ts';
import { sendAgain } from './trace.ts';

/** A release's database after the upgrade, with this tree's service on it and its people signed in. */
export interface Upgraded {
  readonly db: Database;
  readonly app: App;
  /** Access tokens by address, each got with the refresh token that the release gave out. */
  readonly access: ReadonlyMap<string, string>;
}

/** Puts a release's rows into an empty database, as they were: nothing is migrated yet. */
export async function loadRelease(db: Database, release: Release): Promise<void> {
  await sql.raw(release.database).execute(db);
}

/** Loads a release, migrates it and starts the service on it. The caller closes the service. */
export async function upgrade(db: Database, release: Release): Promise<Upgraded> {
  await loadRelease(db, release);
  await migrate(db);
  await notePins(db);
  return open(db, release, release.credentials.refresh);
}

/** The same, where the release's service went on for a while on the migrated database. */
export async function upgradeUnderOldService(db: Database, url: string, release: Release): Promise<Upgraded> {
  await loadRelease(db, release);
  await migrate(db);
  await notePins(db);
  await sendAgain(url, release.lastMinutes.sent);
  return open(db, release, { ...release.credentials.refresh, ...release.lastMinutes.refresh });
}

/**
 * The history of the releases pins tiers in the database, as operators of the first one had to. Every later pin is in the audit, and the
 * books do not agree without it.
 */
export async function notePins(db: Database): Promise<void> {
  await sql`
    insert into audit (commerce_id, at, action, actor, member_id, after)
    select commerce_id, '2026-01-01', 'tier.pin', 'command_line', id, jsonb_build_object('level', tier_id, 'pinned', true)
      from members
     where tier_pinned
     order by commerce_id, id`.execute(db);
}

async function open(
  db: Database,
  { credentials }: Release,
  refresh: Readonly<Record<string, string>>,
): Promise<Upgraded> {
  const app = await buildApp({ db, log: false, secret: [credentials.secret] });
  const access = new Map<string, string>();
  const [shop] = Object.values(credentials.shops);
  for (const [email, token] of Object.entries(refresh)) {
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/auth/refresh',
      headers: { 'x-commerce-id': String(shop!.id) },
      payload: { refresh: token },
    });
    assert.equal(answer.statusCode, 200, `the session of ${email} goes on`);
    access.set(email, answer.json<{ access: string }>().access);
  }
  return { db, app, access };
}

/** One call in the words of a release: at a shop, by its key, a visitor, or a person by address. */
export function callAs(
  { app, access }: Upgraded,
  { credentials }: Release,
  call: { at: string; by: string; method: string; path: string; body?: object; idempotencyKey?: string },
) {
  const { id, key, officeKey } = credentials.shops[call.at]!;
  const inShop = { 'x-commerce-id': String(id) };
  const headers =
    call.by === 'key'
      ? { authorization: `Bearer ${key}` }
      : call.by === 'office'
        ? { authorization: `Bearer ${officeKey}` }
        : call.by === 'visitor'
          ? inShop
          : { ...inShop, authorization: `Bearer ${access.get(call.by)}` };
  return app.inject({
    method: call.method as 'GET',
    url: call.path,
    headers: {
      ...headers,
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    },
    ...(call.body && { payload: call.body }),
  });
}
