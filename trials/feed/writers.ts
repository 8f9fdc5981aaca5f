/** A shop at which everything happens that is told in the feed, again and again, whatever fails meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { blockPerson } from '../../server/src/backoffice/member-care/block-person.ts';
import { erasePerson } from '../../server/src/backoffice/member-care/erase-person.ts';
import { applyProgram } from '../../server/src/loyalty/apply/apply-program.ts';
import { createKey } from '../../server/src/loyalty/commerces/api-keys.ts';
import { enrolMember } from '../../server/src/loyalty/enrolment/enrol-member.ts';
import { leaveProgram } from '../../server/src/loyalty/members/leave-program.ts';
import { findMember } from '../../server/src/loyalty/members/lock-members.ts';
import { transaction, type Database } from '../../server/src/platform/db/database.ts';
import { KEY_SCOPES } from '../../server/src/platform/http/key-scopes.ts';
import { checkProgram } from '../../server/src/program/check-program.ts';
import { exchangeBenefit } from '../../server/test/exchange-benefit.ts';

const MEMBERS = 60;
const OFFER = { type: 'percentage_discount', description: 'Ten percent off', value: 10 };

interface Person {
  readonly userId: number;
  readonly memberId: number;
  readonly code: number;
}

export interface FeedShop {
  readonly id: number;
  readonly key: string;
  readonly people: Person[];
}

export async function makeFeedShop(db: Database): Promise<FeedShop> {
  const checked = checkProgram({
    slug: 'feed',
    name: 'Feed',
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
    codes: { max_unused: 1000, undo_days: 30, with_return: 'restore' },
    benefits: [
      { id: 'coffee', title: 'Coffee', cost: 5, ...OFFER },
      { id: 'cap', title: 'Cap', cost: 0, benefit_type: 'level', ...OFFER },
    ],
    levels: {
      threshold_type: 'points',
      ladder: [
        { name: 'Crew', threshold: 0 },
        { name: 'Captain', threshold: 300, benefit: 'cap' },
      ],
    },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const { commerceId } = await applyProgram(db, checked.program, { clock: checked.clock, dryRun: false });
  const id = commerceId!;
  const { key } = await createKey(db, id, 'writer', { scopes: KEY_SCOPES });
  const people: Person[] = [];
  for (let i = 0; i < MEMBERS; i++) people.push(await join(db, id, `member-${i}@example.com`));
  return { id, key, people };
}

async function join(db: Database, commerceId: number, email: string): Promise<Person> {
  const { userId } = await transaction(db, (tx) => enrolMember(tx, commerceId, email));
  const { id: memberId, code } = (await findMember(db, { commerceId, email }))!;
  return { userId, memberId, code: code! };
}

/** Writes until it is told to stop. What fails is left: nobody knows what became of it but the database. */
export function startWriters(
  shop: FeedShop,
  db: Database,
  base: string,
  atOnce: number,
): () => Promise<void> {
  const stopping = new AbortController();
  let count = 0;
  const { id: commerceId, people } = shop;
  const someone = () => people[Math.floor(Math.random() * people.length)]!;
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const buy = () =>
    send('POST', '/v1/consumptions/client-code', {
      client_code: someone().code,
      amount: 1 + Math.floor(Math.random() * 9),
    });
  const codeOf = async ({ userId }: Person) =>
    (await exchangeBenefit(db, { commerceId, userId, benefitId: 'coffee' })).voucher.code;

  /** An order from its cart to a part that comes back, with a code. */
  async function order(): Promise<void> {
    const person = someone();
    const path = `/v1/orders/order-${(count += 1)}-${process.pid}`;
    const codes = [await codeOf(person)];
    const state = { client_code: person.code, refunded: 0, codes, status: 'open', paid: 20, version: 1 };
    await send('PUT', path, state);
    await send('PUT', path, { ...state, status: 'paid', version: 2 });
    await send('PUT', path, { ...state, status: 'paid', refunded: 10, version: 3 });
    if (count % 2 === 0) await send('PUT', path, { ...state, status: 'cancelled', refunded: 10, version: 4 });
  }

  /** A cart that holds a code, and lets go or is overtaken by a till. */
  async function cart(): Promise<void> {
    const code = await codeOf(someone());
    const external_id = `cart-${(count += 1)}-${process.pid}`;
    await send('POST', '/v1/benefits/holds', { client_benefit_code: code, external_id });
    if (count % 2 === 0) await send('DELETE', `/v1/benefits/holds/${external_id}`);
    if (count % 3 === 0) await send('POST', '/v1/benefits/redeem', { client_benefit_code: code });
  }

  /** Somebody joins, buys, and is blocked, leaves or is erased. */
  async function guest(): Promise<void> {
    const person = await join(db, commerceId, `guest-${(count += 1)}-${process.pid}@example.com`);
    await send('POST', '/v1/consumptions/client-code', { client_code: person.code, amount: 400 });
    const end = count % 3;
    if (end === 0) await leaveProgram(db, commerceId, person.userId);
    if (end === 1) await transaction(db, (tx) => blockPerson(tx, commerceId, person.memberId, 'a lost card'));
    if (end === 2)
      await transaction(db, (tx) =>
        erasePerson(tx, commerceId, person.memberId, {
          confirm: String(person.code),
          reason: 'asked for it',
        }),
      );
  }

  const work = async () => {
    while (!stopping.signal.aborted) {
      const chance = Math.random();
      const act = chance < 0.9 ? buy : chance < 0.94 ? order : chance < 0.98 ? cart : guest;
      await act().catch(() => sleep(20));
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, work));
  return async () => {
    stopping.abort();
    await working;
  };
}
