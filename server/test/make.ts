import { randomBytes } from 'node:crypto';
import { createKey } from '#commerces/api-keys.ts';
import { checkProgram } from '#commerces/check-program.ts';
import { transaction } from '#db/database.ts';
import { enrolMember, type Enrolment } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { applyProgram } from '#program/apply-program.ts';
import { call, service, type Answer } from './harness.ts';

/** A commerce with a key, and calls made with that key. */
export interface Shop {
  readonly id: number;
  readonly slug: string;
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A new member, of that name or of any. */
  member(name?: string): Promise<MadeMember>;
  /** Applies another program to it. */
  apply(fields: ProgramFields): Promise<void>;
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
  const id = await apply(slug, fields);
  const { key } = await createKey(db, id, 'test');
  const headers = { authorization: `Bearer ${key}` };
  return {
    id,
    slug,
    key,
    get: (path) => call('GET', path, { headers }),
    post: (path, body, more = {}) => call('POST', path, { headers: { ...headers, ...more }, body }),
    member: (name = `m-${randomBytes(6).toString('hex')}`) => makeMember(id, `${name}@example.com`),
    apply: async (next) => void (await apply(slug, next)),
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

async function apply(slug: string, fields: ProgramFields): Promise<number> {
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
  const applied = await applyProgram(db, checked.program, { clock: checked.clock });
  return applied.commerceId!;
}

async function makeMember(commerceId: number, email: string): Promise<MadeMember> {
  const { db } = await service();
  const enrolment = await transaction(db, (db) => enrolMember(db, commerceId, email));
  const member = await findMember(db, { commerceId, email });
  return { ...enrolment, email, code: member!.code! };
}
