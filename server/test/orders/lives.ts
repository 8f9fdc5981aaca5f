/** Random lives of orders, and their play against a running service. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../create-random.ts';
import { after, EMPTY, seenOf, type Event, type Seen, type State, type World } from './oracle.ts';

/** What a member has bought, and how to reach the service. */
export interface Person {
  readonly clientCode: number;
  readonly codes: readonly number[];
}

export interface Shop {
  readonly key: string;
  /** The address of the service now: it may have been killed and started again. */
  base(): string;
}

/** One or two calls that are sent at the same moment. */
export type Step = readonly Event[];

/** Makes the life of a person's orders: states as they follow from each other, then doubled, delayed and shuffled. */
export function makeLife(seed: number, person: Person, name: string): Step[] {
  const random = createRandom(seed);
  const sent: { at: number; event: Event }[] = [];
  const orders = 1 + random.below(2);
  for (let nth = 0; nth < orders; nth += 1) {
    const cart = random.below(2) === 0 ? `${name}/cart ${nth}` : undefined;
    for (const code of person.codes)
      if (cart !== undefined && random.below(3) > 0)
        sent.push({ at: random.next() * 2, event: { does: 'hold', cart, code } });
    for (const [i, said] of statesOf(random, `${name}/${nth}`, person.codes).entries()) {
      const state = { ...said, cart };
      const at = i + random.next() * (random.below(4) === 0 ? 3 : 0.9);
      sent.push({ at, event: { does: 'put', state } });
      if (random.below(4) === 0) sent.push({ at: at + random.next() * 3, event: { does: 'put', state } });
    }
  }
  for (const code of person.codes)
    if (random.below(3) === 0) sent.push({ at: random.next() * 6, event: { does: 'sell', code } });
  const events = sent.toSorted((a, b) => a.at - b.at).map(({ event }) => event);
  const steps: Event[][] = [];
  for (const event of events) {
    const last = steps.at(-1);
    if (last?.length === 1 && random.below(3) === 0) last.push(event);
    else steps.push([event]);
  }
  return steps;
}

function statesOf(random: Random, order: string, all: readonly number[]): State[] {
  const some = () => all.filter(() => random.below(2) === 0);
  let paid = random.below(6) === 0 ? 0 : 1 + random.below(200);
  let refunded = 0;
  let status: State['status'] = 'open';
  let codes = some();
  const states: State[] = [];
  const length = 2 + random.below(5);
  for (let i = 0; i < length; i += 1) {
    states.push({ order, version: 1 + i * 2, status, paid, refunded, codes });
    if (status === 'cancelled') break;
    const what = random.below(10);
    if (status === 'open' && what < 6) status = 'paid';
    else if (what < 7) paid += random.below(100);
    else if (status === 'paid' && what < 8) paid = Math.max(refunded, paid - random.below(50));
    else if (status === 'paid' && what < 9) refunded += random.below(paid - refunded + 1);
    else if (random.below(2) === 0) status = 'cancelled';
    if (random.below(4) === 0) codes = some();
  }
  return states;
}

/** Plays a life, and compares after each step what the service shows with what the oracle can explain. */
export async function play(shop: Shop, person: Person, steps: readonly Step[]): Promise<void> {
  let worlds: readonly World[] = [EMPTY];
  for (const [nth, step] of steps.entries()) {
    await Promise.all(step.map((event, i) => send(shop, person, event, `${person.clientCode}/${nth}/${i}`)));
    worlds = worlds.flatMap((world) => orders(step).map((events) => events.reduce(after, world)));
    const seen = await look(shop, person);
    const explained = worlds.filter((world) => isSame(seenOf(world, person.codes), seen));
    if (explained.length === 0)
      assert.deepEqual(
        seen,
        seenOf(worlds[0]!, person.codes),
        `step ${nth}: ${JSON.stringify(steps.slice(0, nth + 1))}`,
      );
    worlds = explained;
  }
}

/** The orders in which the calls of a step may have been carried out. */
function orders(step: Step): readonly Step[] {
  return step.length === 1 ? [step] : [step, step.toReversed()];
}

function isSame(one: Seen, other: Seen): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

/** A call without an answer is sent again, as a shop does. */
async function send(shop: Shop, person: Person, event: Event, key: string): Promise<void> {
  if (event.does === 'sell') {
    const answer = await request(
      shop,
      'POST',
      '/v1/benefits/redeem',
      {
        client_benefit_code: event.code,
      },
      { 'idempotency-key': key },
    );
    assert.ok(answer.status === 200 || answer.status === 400, answer.text);
    return;
  }
  if (event.does === 'hold') {
    const hold = { client_benefit_code: event.code, external_id: event.cart };
    const answer = await request(shop, 'POST', '/v1/benefits/holds', hold);
    assert.ok([200, 201, 400, 409].includes(answer.status), answer.text);
    return;
  }
  const { order, cart, ...state } = event.state;
  const answer = await request(shop, 'PUT', `/v1/orders/${encodeURIComponent(order)}`, {
    ...state,
    ...(cart !== undefined && { cart_id: cart }),
    client_code: person.clientCode,
  });
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
}

async function look(shop: Shop, { clientCode, codes: all }: Person): Promise<Seen> {
  const [listed, bought] = await Promise.all([
    request(shop, 'GET', `/v1/orders?client_code=${clientCode}`),
    request(shop, 'GET', `/v1/clients/${clientCode}/benefits`),
  ]);
  const { results } = listed.body as { results: readonly ShownOrder[] };
  const shown = results.map(({ external_id: name, status, version, points, purchase, codes }) => [
    name,
    {
      status,
      version,
      points,
      purchase: purchase.state,
      codes: codes.map(({ client_benefit_code: code, state, reason }) => ({ code, state, reason })),
    },
  ]);
  const used = new Map(
    (bought.body as { client_benefit_code: number; used: boolean }[]).map((one) => [
      one.client_benefit_code,
      one.used,
    ]),
  );
  return {
    orders: Object.fromEntries(shown) as Record<string, object>,
    free: all.filter((code) => used.get(code) === false),
    points: results[0]?.points_balance ?? 0,
  };
}

interface ShownOrder {
  readonly external_id: string;
  readonly points_balance: number;
  readonly status: string;
  readonly version: number;
  readonly points: number;
  readonly purchase: { readonly state: string };
  readonly codes: readonly { client_benefit_code: number; state: string; reason: string | null }[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

const TRIES_EVERY_MS = 50;

async function request(
  shop: Shop,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Answer> {
  for (;;) {
    const answer = await fetch(shop.base() + path, {
      method,
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json', ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => null);
    const isRunning = answer?.status === 409 && answer.text.includes('is still running');
    if (answer !== null && answer.status < 500 && answer.status !== 429 && !isRunning)
      return { ...answer, body: JSON.parse(answer.text) as unknown };
    await sleep(TRIES_EVERY_MS);
  }
}
