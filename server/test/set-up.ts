/** Somebody who sets up a shop: a link, a code from the mail, and the calls of a browser. */
import assert from 'node:assert/strict';
import { sql } from '#db/database.ts';
import { makeSetUpLink } from '#set-up/set-up-link.ts';
import { call, service, type Answer } from './harness.ts';
import { someone } from './sign-in.ts';

/** The browser of somebody who has proved an address. */
export interface SettingUp {
  readonly email: string;
  readonly link: string;
  /** The cookie of the set-up, as a browser sends it. */
  readonly cookie: string;
  readonly proved: Answer;
  get(): Promise<Answer>;
  save(answers: object): Promise<Answer>;
  preview(answers: object): Promise<Answer>;
  open(): Promise<Answer>;
}

/** Calls of a page of the service itself. */
export async function fromPage(
  method: string,
  path: string,
  body?: object,
  cookie?: string,
): Promise<Answer> {
  const { url } = await service();
  return call(method, `/admin/v1/set-up${path}`, {
    headers: { origin: url, ...(cookie !== undefined && { cookie }) },
    ...(body !== undefined && { body }),
  });
}

export function askForSetUpCode(token: string, email: string): Promise<Answer> {
  return fromPage('POST', '/code', { token, email });
}

/** The codes that were mailed to an address before it had a shop, newest first. */
export async function mailedSetUpCodes(email: string): Promise<string[]> {
  const { db } = await service();
  const { rows } = await sql<{ code: string }>`
    select content ->> 'code' as code from outbox
     where commerce_id is null and recipient = ${email} and kind = 'set-up-code'
     order by id desc`.execute(db);
  return rows.map(({ code }) => code);
}

/** Gives the code of the newest mail. */
export async function proveAddress(token: string, email: string): Promise<Answer> {
  const [otp] = await mailedSetUpCodes(email);
  return fromPage('POST', '/claim', { token, email, otp, time_zone: 'Europe/Madrid', locale: 'es-ES' });
}

/** Opens a link, proves an address with it, and answers. */
export async function settingUp(
  answers: object = {},
  { link, email = someone('owner') }: { readonly link?: string; readonly email?: string } = {},
): Promise<SettingUp> {
  const { db } = await service();
  const token = link ?? (await makeSetUpLink(db));
  assert.equal((await askForSetUpCode(token, email)).status, 200);
  const proved = await proveAddress(token, email);
  assert.equal(proved.status, 200, proved.text);
  const cookie = proved.headers.getSetCookie()[0]!.split(';')[0]!;
  const browser = {
    email,
    link: token,
    cookie,
    proved,
    get: () => fromPage('GET', '', undefined, cookie),
    save: (typed: object) => fromPage('PATCH', '', typed, cookie),
    preview: (typed: object) => fromPage('POST', '/preview', typed, cookie),
    open: () => fromPage('POST', '/shop', {}, cookie),
  };
  if (Object.keys(answers).length > 0) assert.equal((await browser.save(answers)).status, 200);
  return browser;
}
