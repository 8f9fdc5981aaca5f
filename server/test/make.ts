import { randomBytes } from 'node:crypto';
import { createKey } from '#commerces/api-keys.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { checkProgram } from '#program/check-program.ts';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { sql, transaction } from '#db/database.ts';
import { findOrCreateUser } from '#members/enter-member.ts';
import { enrolMember, type Enrolment } from '#enrolment/enrol-member.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { findMember } from '#members/lock-members.ts';
import { applyProgram, type Applied } from '#apply/apply-program.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { createAccessTokens } from '#sign-in/access-token.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { call, SECRET, service, type Answer } from './harness.ts';

/** A commerce with a key, and calls made with that key. */
export interface Shop {
  readonly id: number;
  readonly slug: string;
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A new member, of that name or of any. */
  member(name?: string): Promise<MadeMember>;
  /** Applies another program to it, or only tries to; gives what that changes. */
  apply(fields: ProgramFields, options?: { readonly dryRun: boolean }): Promise<readonly string[]>;
  /** Makes a call of its website without a session. */
  visit(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A purchase of that member, by which the member earns. */
  sell(member: MadeMember, amount: number): Promise<void>;
  /** A voucher of that benefit, bought by the member; gives its code. */
  voucher(member: MadeMember, benefitId: string): Promise<number>;
  leave(member: MadeMember): Promise<void>;
  block(member: MadeMember): Promise<void>;
  erase(member: MadeMember): Promise<void>;
  close(): Promise<void>;
  /** The page of a signed-in person at this commerce, whoever that is elsewhere. */
  browser(who: { readonly userId: number }): Promise<Browser>;
  /** An access token of a session that goes on, whose own time is over. */
  expiredToken(who: { readonly userId: number }): Promise<string>;
  /** Moves the clock of a sandbox forward, in PostgreSQL's words: `'400 days'`. */
  moveClock(interval: string): Promise<void>;
}

/** Calls with a member's access token and the `X-Commerce-Id` of one commerce. */
export interface Browser {
  readonly token: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export interface MadeMember extends Enrolment {
  readonly email: string;
  readonly code: number;
}

/** The fields of a program file that a test is about; the rest gets its default. */
export type ProgramFields = Readonly<Record<string, unknown>>;

/** A commerce of its own for one test: 1 currency unit a point unless the test says otherwise. */
export async function makeShop(fields: ProgramFields = {}): Promise<Shop> {
  const { db } = await service();
  const slug = `shop-${randomBytes(6).toString('hex')}`;
  const id = (await apply(slug, fields)).commerceId!;
  const { key } = await createKey(db, id, 'test');
  const headers = { authorization: `Bearer ${key}` };
  return {
    id,
    slug,
    key,
    get: (path) => call('GET', path, { headers }),
    post: (path, body, more = {}) => call('POST', path, { headers: { ...headers, ...more }, body }),
    member: (name = `m-${randomBytes(6).toString('hex')}`) => makeMember(id, `${name}@example.com`),
    apply: async (next, options) => (await apply(slug, next, options)).changes,
    visit: (path, more = {}) => call('GET', path, { headers: { 'x-commerce-id': String(id), ...more } }),
    sell: (member, amount) => sell(id, member, amount),
    voucher: async ({ userId }, benefitId) => {
      const { voucher } = await exchangeBenefit(db, { commerceId: id, userId, benefitId });
      return voucher.code;
    },
    leave: ({ userId }) => leaveProgram(db, id, userId),
    block: async ({ memberId }) =>
      void (await transaction(db, (tx) => blockPerson(tx, id, memberId, 'a reason of the test'))),
    erase: async ({ memberId, code }) => {
      const erasure = { confirm: String(code), reason: 'asked for it' };
      await transaction(db, (tx) => erasePerson(tx, id, memberId, erasure));
    },
    browser: (who) => openBrowser(id, who.userId),
    expiredToken: ({ userId }) => openSession(id, userId, new Date(Date.now() - 3_600_000)),
    close: async () => void (await closeCommerce(db, id)),
    moveClock: async (interval) =>
      void (await sql`
        update commerces set clock_offset = clock_offset + ${interval}::interval where id = ${id}`.execute(
        db,
      )),
  };
}

/** A benefit of the catalog as a program file says it. */
export function benefit(id: string, fields: ProgramFields = {}): ProgramFields {
  return {
    id,
    type: 'percentage_discount',
    title: id,
    description: `About ${id}`,
    cost: 10,
    value: 10,
    ...fields,
  };
}

/** A card of the program file that each purchase stamps. */
export function stampCard(id: string, benefitId: string, fields: ProgramFields = {}): ProgramFields {
  return { id, title: `Card ${id}`, per: 'purchase', need: 3, [GIVES]: { benefit: benefitId }, ...fields };
}

/** An object with this name looks like a promise to a linter, and is none. */
const [GIVES] = ['then'] as const;

async function apply(slug: string, fields: ProgramFields, options = { dryRun: false }): Promise<Applied> {
  const { db } = await service();
  const defaults = {
    slug,
    name: `Shop ${slug}`,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
  };
  const checked = checkProgram({ ...defaults, ...fields });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return applyProgram(db, checked.program, { clock: checked.clock, ...options });
}

/** A person with an account who belongs to no program. */
export async function newUser(): Promise<{ userId: number; email: string }> {
  const { db } = await service();
  const email = `u-${Math.random().toString(36).slice(2)}@example.com`;
  return { userId: await transaction(db, (tx) => findOrCreateUser(tx, email)), email };
}

/** Signed in without a mail: what a sign-in leaves in the database, and the token that it gives. */
/** Returns an access token that was issued at an instant, for a session of its own. */
async function openSession(commerceId: number, userId: number, at = new Date()): Promise<string> {
  const { db } = await service();
  const { rows } = await sql<{ id: number }>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    values (${randomBytes(16)}, ${userId}, ${commerceId}, now() + interval '1 day')
    returning id`.execute(db);
  return tokens.issue({ userId, sessionId: rows[0]!.id, commerceId }, at);
}

async function openBrowser(commerceId: number, userId: number): Promise<Browser> {
  const token = await openSession(commerceId, userId);
  const headers = { authorization: `Bearer ${token}`, 'x-commerce-id': String(commerceId) };
  return {
    token,
    get: (path) => call('GET', path, { headers }),
    post: (path, body, more = {}) => call('POST', path, { headers: { ...headers, ...more }, body }),
    patch: (path, body) => call('PATCH', path, { headers, body }),
    delete: (path) => call('DELETE', path, { headers }),
  };
}

const tokens = createAccessTokens(SECRET);

async function sell(commerceId: number, { code }: MadeMember, amount: number): Promise<void> {
  const { db } = await service();
  const [outcome] = await transaction(db, (tx) =>
    recordPurchases(tx, [{ commerceId, buyer: { code }, amount, ...NOWHERE }]),
  );
  if (outcome?.recorded !== true) throw outcome!.problem;
}

async function makeMember(commerceId: number, email: string): Promise<MadeMember> {
  const { db } = await service();
  const enrolment = await transaction(db, (tx) => enrolMember(tx, commerceId, email));
  const member = await findMember(db, { commerceId, email });
  return { ...enrolment, email, code: member!.code! };
}
