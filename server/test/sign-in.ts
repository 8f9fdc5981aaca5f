/** Signing in as a member does it: a code asked for, read from the mail, and shown. */
import assert from 'node:assert/strict';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from './harness.ts';
import { earlier } from './earlier.ts';

export interface SessionBody {
  readonly access: string;
  readonly refresh: string;
  readonly expires_in: number;
  readonly user_id: number;
  readonly username: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export function atCommerce(commerceId: number): Record<string, string> {
  return { 'x-commerce-id': String(commerceId) };
}

export function askForCode(commerceId: number, email: string): Promise<Answer> {
  return call('POST', '/v1/auth/otp/request', { headers: atCommerce(commerceId), body: { email } });
}

export function showCode(commerceId: number, email: string, otp: string): Promise<Answer> {
  return call('POST', '/v1/auth/otp/verify', { headers: atCommerce(commerceId), body: { email, otp } });
}

export function refresh(commerceId: number, token: string): Promise<Answer> {
  return call('POST', '/v1/auth/refresh', { headers: atCommerce(commerceId), body: { refresh: token } });
}

/** The codes mailed to an address for a commerce, newest first. No sender runs in the tests' service. */
export async function mailedCodes(commerceId: number, email: string): Promise<string[]> {
  const { db } = await service();
  const { rows } = await sql<{ code: string }>`
    select content ->> 'code' as code
      from outbox
     where commerce_id = ${commerceId} and recipient = ${email} and kind = 'sign-in-code'
     order by id desc`.execute(db);
  return rows.map(({ code }) => code);
}

/** The secrets of the links mailed to an address for a commerce, newest first. */
export async function mailedLinks(commerceId: number, email: string): Promise<string[]> {
  const { db } = await service();
  const { rows } = await sql<{ token: string }>`
    select content ->> 'token' as token
      from outbox
     where commerce_id = ${commerceId} and recipient = ${email} and kind = 'sign-in-code'
     order by id desc`.execute(db);
  return rows.map(({ token }) => token);
}

/** A code that is not the right one. */
export function wrongCode(code: string | undefined): string {
  return code === '000000' ? '000001' : '000000';
}

/** Asks for a code and gives it. */
export async function freshCode(commerceId: number, email: string): Promise<string> {
  assert.equal((await askForCode(commerceId, email)).status, 200);
  const [code] = await mailedCodes(commerceId, email);
  assert.ok(code !== undefined, 'a code was mailed');
  return code;
}

/** The whole sign-in; `user_id` is the stored id, for SQL. The address must not have asked for a code within the last minute. */
export async function signIn(commerceId: number, email: string): Promise<SessionBody> {
  const answer = await showCode(commerceId, email, await freshCode(commerceId, email));
  assert.equal(answer.status, 200);
  const session = answer.body as SessionBody;
  return { ...session, user_id: await storedUserId(session) };
}

/** The id by which the database knows the user of a session. */
export async function storedUserId(session: { readonly user_id: number }): Promise<number> {
  const { db } = await service();
  return (await readInstallationIds(db, 'user')).fromWire(session.user_id)!;
}

/** Lets what an address did count as longer ago: its codes, sends and failures. */
export async function age(email: string, interval: string): Promise<void> {
  const { db } = await service();
  await sql`update sign_in_sends set sent_at = ${earlier('sent_at', interval)} where email = ${email}`.execute(
    db,
  );
  await sql`update sign_in_failures set failed_at = ${earlier('failed_at', interval)} where email = ${email}`.execute(
    db,
  );
  await sql`
    update sign_in_codes
       set issued_at = ${earlier('issued_at', interval)}, link_issued_at = ${earlier('link_issued_at', interval)},
           expires_at = ${earlier('expires_at', interval)}
     where email = ${email}`.execute(db);
}

/** An address that no other test knows. */
export function someone(name = 'ana'): string {
  return `${name}-${Math.random().toString(36).slice(2, 12)}@example.com`;
}
