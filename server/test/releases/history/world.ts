/**
 * The hands that live a release's history: a shop's till and back office, its members, its staff. Everything goes
 * through HTTP or through what the `loyalty` command calls; SQL stands in only for what staff did by hand before the back office had calls.
 */
import assert from 'node:assert/strict';
import { createKey, revokeKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import type { KeyScope } from '#http/key-scopes.ts';
import type { App } from '#http/server.ts';
import { advanceClock } from '#jobs/advance-clock.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { readProgram } from '#program/read-program.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { linesOf } from '../csv-lines.ts';
import type { Replay } from '../release.ts';

/** What a history leaves behind besides the database. */
export interface World {
  /** The service's own pool: every statement that goes through it is one of the release's. */
  db: Database;
  /** For what is looked up or changed here beside the service. */
  readonly staffDb: Database;
  app: App;
  readonly shops: Map<string, Shop>;
  /** People who signed in, by address. */
  readonly people: Map<string, Person>;
  /** Refresh tokens that no longer work. */
  readonly endedSessions: { readonly refresh: string; readonly why: string }[];
  /** Every successful call that carried an idempotency key, with its answer. */
  replays: Replay[];
}

export interface Person {
  readonly email: string;
  readonly userId: number;
  readonly access: string;
  readonly refresh: string;
}

/** A file that was imported; importing it again must change nothing. */
export interface ImportedFile {
  readonly kind: 'members' | 'purchases';
  readonly text: string;
}

export interface Shop {
  readonly id: number;
  readonly slug: string;
  readonly key: string;
  /** A key of the back office, with the role of an owner. */
  readonly officeKey: string;
  readonly revokedKey: string;
  /** The program file as it was applied last. */
  programFile(): string;
  readonly imports: ImportedFile[];

  apply(program: string): Promise<void>;
  /** Sets the clock; what fell due on the way is not run. */
  setClock(instant: string): Promise<void>;
  /** Moves the clock as `loyalty clock advance` does, jobs and all. */
  advance(duration: string): Promise<void>;
  close(): Promise<void>;

  /** A sign-in by the code from the mail, which joins the program. */
  signIn(email: string): Promise<void>;
  /** Joining by someone who is signed in. */
  join(email: string): Promise<void>;
  leave(email: string): Promise<void>;
  profile(email: string, fields: object): Promise<void>;
  /** Gives the id of the consumption. */
  sell(email: string, amount: number, more?: object, idempotencyKey?: string): Promise<number>;
  /** By address; the points wait where nobody has joined with it. */
  sellByEmail(email: string, amount: number, idempotencyKey?: string): Promise<number>;
  reverse(consumptionId: number, amount?: number, idempotencyKey?: string): Promise<void>;
  refuseReversal(consumptionId: number): Promise<void>;
  /** Gives the code. */
  exchange(email: string, benefitId: string, idempotencyKey?: string): Promise<number>;
  redeem(code: number, idempotencyKey?: string): Promise<void>;
  giveBack(code: number, note?: string): Promise<void>;
  /** The code of the newest voucher of that benefit in a member's hands. */
  voucherOf(email: string, benefitId: string): Promise<number>;
  importMembers(csv: string, options?: { welcome?: boolean }): Promise<void>;
  importPurchases(csv: string, options?: { invite?: boolean }): Promise<void>;
  block(email: string, reason: string): Promise<void>;
  unblock(email: string): Promise<void>;
  pin(email: string, levelId: string): Promise<void>;
  erase(email: string): Promise<void>;

  /** A call with the shop’s key. Gives the answer. */
  api(method: string, path: string, body?: object): Promise<unknown>;
  /** A call below `/admin/v1/`. Gives the answer. */
  office(method: string, path: string, body?: object, idempotencyKey?: string): Promise<unknown>;
  /** Changes fields of the program in force, as an owner does in the back office. */
  publish(changes: object, note?: string): Promise<void>;
  /** The id by which the back office knows a member. */
  memberId(email: string): Promise<number>;
}

/** Who makes a call, in the words of `Call.by`. */
type By = 'key' | 'office' | 'visitor' | (string & {});

/** Opens a commerce by its program file; the first text of its history. */
export async function openShop(
  world: World,
  program: string,
  scopes: readonly KeyScope[] | null = null,
): Promise<Shop> {
  const { staffDb } = world;
  const { commerceId, slug } = await apply(world.db, program);
  const id = commerceId!;
  let current = program;
  const { key } = await createKey(world.db, id, 'till', { scopes });
  const { key: officeKey } = await createKey(world.db, id, 'back office', { role: 'owner' });
  const revoked = await createKey(world.db, id, 'old till');
  await revokeKey(world.db, id, revoked.id);
  const imports: ImportedFile[] = [];
  const call = (by: By, method: string, path: string, body?: object, idempotencyKey?: string) =>
    send(world, shop, by, { method, path, body, idempotencyKey });

  const shop: Shop = {
    id,
    slug,
    key,
    officeKey,
    revokedKey: revoked.key,
    imports,
    programFile: () => current,

    async apply(next) {
      await apply(world.db, next);
      current = next;
    },
    setClock: (instant) => setClock(world.db, id, new Date(instant)),
    advance: async (duration) => void (await advanceClock(world.db, slug, duration)),
    close: async () => void (await closeCommerce(world.db, id)),

    async signIn(email) {
      await call('visitor', 'POST', '/v1/auth/otp/request', { email });
      const otp = await mailedCode(staffDb, id, email);
      const { body } = await call('visitor', 'POST', '/v1/auth/otp/verify', { email, otp });
      keepSession(world, email, body as Session);
    },
    join: async (email) => void (await call(email, 'POST', '/v1/me/subscription')),
    leave: async (email) => void (await call(email, 'DELETE', '/v1/me/subscription')),
    profile: async (email, fields) => void (await call(email, 'PATCH', '/v1/me', fields)),

    async sell(email, amount, more = {}, idempotencyKey) {
      const body = { client_code: await codeOf(staffDb, id, email), amount, ...more };
      return (await call('key', 'POST', '/v1/consumptions/client-code', body, idempotencyKey)).consumptionId!;
    },
    async sellByEmail(email, amount, idempotencyKey) {
      const body = { client_email: email, amount };
      return (await call('key', 'POST', '/v1/consumptions/email', body, idempotencyKey)).consumptionId!;
    },
    async reverse(consumptionId, amount, idempotencyKey) {
      const body = amount === undefined ? {} : { amount };
      await call('key', 'POST', `/v1/consumptions/${consumptionId}/reversal`, body, idempotencyKey);
    },
    async refuseReversal(consumptionId) {
      const { statusCode } = await world.app.inject({
        method: 'POST',
        url: `/v1/consumptions/${consumptionId}/reversal`,
        headers: { authorization: `Bearer ${key}` },
        payload: {},
      });
      assert.equal(statusCode, 400);
    },
    async exchange(email, benefitId, idempotencyKey) {
      const body = { benefit_id: benefitId };
      const bought = await call(email, 'POST', '/v1/me/benefits/exchange', body, idempotencyKey);
      return (bought.body as { client_benefit_code: number }).client_benefit_code;
    },
    async redeem(code, idempotencyKey) {
      await call('key', 'POST', '/v1/benefits/redeem', { client_benefit_code: code }, idempotencyKey);
    },
    giveBack: async (code, reason) =>
      void (await transaction(world.db, (tx) => giveBackVoucher(tx, { commerceId: id, code, reason }))),
    voucherOf: (email, benefitId) => voucherOf(staffDb, id, email, benefitId),

    async importMembers(csv, options) {
      const { refused } = await importMembers(world.db, id, linesOf(csv), options);
      assert.deepEqual(refused, []);
      imports.push({ kind: 'members', text: csv });
    },
    async importPurchases(csv, options) {
      const { refused } = await importPurchases(world.db, id, linesOf(csv), options);
      assert.deepEqual(refused, []);
      imports.push({ kind: 'purchases', text: csv });
    },

    block: async (email, reason) =>
      void (await sql`
        update members m set blocked_at = program_now(c), block_reason = ${reason}
          from commerces c where c.id = m.commerce_id and m.commerce_id = ${id} and m.email = ${email}`.execute(
        staffDb,
      )),
    unblock: async (email) =>
      void (await sql`
        update members set blocked_at = null, block_reason = null
         where commerce_id = ${id} and email = ${email}`.execute(staffDb)),
    async pin(email, levelId) {
      const path = `members/${await shop.memberId(email)}/level`;
      await shop.office('PUT', path, { level_id: levelId, reason: 'A friend of the house' });
    },
    erase: async (email) =>
      void (await sql`
        update members m
           set erased_at = program_now(c), email = null, user_id = null, username = null, phone = null,
               birth_date = null, birth_date_set_at = null, state = 'left', left_at = program_now(c)
          from commerces c where c.id = m.commerce_id and m.commerce_id = ${id} and m.email = ${email}`.execute(
        staffDb,
      )),

    api: async (method, path, body) => (await call('key', method, path, body)).body,
    office: async (method, path, body, idempotencyKey) =>
      (await call('office', method, `/admin/v1/${path}`, body, idempotencyKey)).body,
    async publish(changes, note) {
      const model = (await shop.office('GET', 'program/model')) as { version: number; program: object };
      await shop.office('POST', 'program/publish', {
        program: { ...model.program, ...changes },
        base_version: model.version,
        ...(note !== undefined && { note }),
      });
      current = ((await shop.office('GET', 'program/file')) as { text: string }).text;
    },
    async memberId(email) {
      const found = await shop.office('POST', 'members/search', { text: email });
      return (found as { results: { member_id: number }[] }).results[0]!.member_id;
    },
  };
  world.shops.set(slug, shop);
  return shop;
}

/** Refreshes a session: the person holds the new token from now on. */
export async function refresh(world: World, shop: Shop, email: string): Promise<void> {
  const person = world.people.get(email)!;
  const { body } = await send(world, shop, 'visitor', {
    method: 'POST',
    path: '/v1/auth/refresh',
    body: { refresh: person.refresh },
  });
  keepSession(world, email, { ...(body as Session), user_id: person.userId });
}

/** Ends a session by the person's own wish. */
export async function logOut(world: World, shop: Shop, email: string): Promise<void> {
  const { refresh } = world.people.get(email)!;
  await send(world, shop, 'visitor', { method: 'POST', path: '/v1/auth/logout', body: { refresh } });
  world.endedSessions.push({ refresh, why: 'logged out' });
  world.people.delete(email);
}

/** Ends a session as theft does: a token that was used up is brought again. */
export async function stealSession(world: World, shop: Shop, email: string): Promise<void> {
  const first = world.people.get(email)!.refresh;
  await refresh(world, shop, email);
  await refresh(world, shop, email);
  // The replaced token is still good for ten seconds.
  await sql`
    update refresh_tokens set replaced_at = replaced_at - interval '1 minute', issued_at = issued_at - interval '1 minute'
     where replaced_at is not null`.execute(world.staffDb);
  const { statusCode } = await world.app.inject({
    method: 'POST',
    url: '/v1/auth/refresh',
    headers: { 'x-commerce-id': String(shop.id) },
    payload: { refresh: first },
  });
  assert.equal(statusCode, 401);
  world.endedSessions.push({ refresh: world.people.get(email)!.refresh, why: 'ended by reuse' });
  world.people.delete(email);
}

/** The headers of a caller: the shop's key, a visitor of its pages, or a signed-in person by address. */
export function headersOf(world: World, shop: Shop, by: By): Record<string, string> {
  if (by === 'key') return { authorization: `Bearer ${shop.key}` };
  if (by === 'office') return { authorization: `Bearer ${shop.officeKey}` };
  if (by === 'visitor') return { 'x-commerce-id': String(shop.id) };
  const person = world.people.get(by);
  if (person === undefined) throw new Error(`${by} is not signed in`);
  return { authorization: `Bearer ${person.access}`, 'x-commerce-id': String(shop.id) };
}

/** The newest code that was mailed to an address. */
export async function mailedCode(db: Database, commerceId: number, email: string): Promise<string> {
  const { rows } = await sql<{ code: string }>`
    select content ->> 'code' as code from outbox
     where commerce_id = ${commerceId} and recipient = ${email} and kind = 'sign-in-code'
     order by id desc limit 1`.execute(db);
  return rows[0]!.code;
}

interface Session {
  readonly user_id: number;
  readonly access: string;
  readonly refresh: string;
}

interface Answered {
  readonly body: unknown;
  readonly consumptionId: number | null;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Makes a call that has to succeed, and keeps it for a repeat where it carries an idempotency key. */
async function send(world: World, shop: Shop, by: By, sent: Sent): Promise<Answered> {
  const { method, path, body, idempotencyKey } = sent;
  const answer = await world.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...headersOf(world, shop, by),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { payload: body }),
  });
  const { statusCode: status, payload: text } = answer;
  assert.ok(
    status < 300,
    `${shop.slug}, ${by}: ${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`,
  );
  const header = answer.headers['x-consumption-id'];
  const consumptionId = header === undefined ? null : Number(header);
  if (idempotencyKey !== undefined) {
    const made = { at: shop.slug, by, method, path, ...(body && { body }), idempotencyKey };
    world.replays.push({ ...made, status, text, consumptionId });
  }
  return { body: JSON.parse(text) as unknown, consumptionId };
}

function keepSession(world: World, email: string, { user_id, access, refresh }: Session): void {
  world.people.set(email, { email, userId: user_id, access, refresh });
}

async function apply(db: Database, text: string) {
  const read = readProgram(text);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const applied = await applyProgram(db, read.program, { clock: read.clock });
  assert.ok(applied.changes.length > 0, `applying a program of ${applied.slug} changed nothing`);
  return applied;
}

async function codeOf(db: Database, commerceId: number, email: string): Promise<number> {
  const { rows } = await sql<{ code: number }>`
    select code from members where commerce_id = ${commerceId} and email = ${email}`.execute(db);
  return rows[0]!.code;
}

async function voucherOf(db: Database, commerceId: number, email: string, benefitId: string) {
  const { rows } = await sql<{ code: number }>`
    select v.code from vouchers v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
     where v.commerce_id = ${commerceId} and m.email = ${email} and v.benefit_id = ${benefitId}
     order by v.issued_at desc, v.code desc limit 1`.execute(db);
  return rows[0]!.code;
}
