/** The systems of one shop send the dearest call of a kind as often as their key may. */
import type { KeyScope } from '../../server/src/platform/http/key-scopes.ts';
import {
  type Attack,
  defineAttack,
  type Field,
  type Shop,
  type Stage,
  type Tally,
} from './harness/attack.ts';
import { at, bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { purchase, sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

/** The limit of a key, and as many connections as a busy shop has. */
const OF_A_KEY = { connections: 50, perSecond: 1_000 };
/** The limit of a client network, for calls without a key. */
const OF_A_NETWORK = { connections: 10, perSecond: 20 };
const LINES = 100;
const RULES = 50;

interface Prepared {
  readonly key: string;
  /** A code that a member has bought. */
  readonly code: number;
  /** Their addresses. */
  readonly purchases: readonly string[];
}

interface Calls {
  readonly name: string;
  readonly sentence: string;
  readonly size?: typeof OF_A_KEY;
  readonly call: (field: Field<Prepared>, n: number) => Call;
}

const calls: readonly Calls[] = [
  {
    name: 'busy-orders',
    sentence: 'says what orders of 100 lines are, another one each time, as often as a key may',
    call: ({ attacked, prepared: { key } }, n) => put(key, `/v1/orders/order-${n}`, order(attacked, n, 1)),
  },
  {
    name: 'busy-edits',
    sentence: 'changes one order of 100 lines, as often as a key may',
    call: ({ attacked, prepared: { key } }, n) => put(key, '/v1/orders/edited', order(attacked, 0, n + 1)),
  },
  {
    name: 'busy-lines',
    sentence: 'records purchases of 100 lines under a program of 50 rules, as often as a key may',
    call: ({ attacked, prepared: { key } }, n) => ({
      ...purchase(attacked, attacked.members[n % attacked.members.length]!.code),
      headers: bearer(key),
      body: { client_code: attacked.members[n % attacked.members.length]!.code, amount: LINES, lines },
    }),
  },
  {
    name: 'busy-previews',
    sentence: 'asks what orders of 100 lines would earn under 50 rules, as often as a key may',
    call: ({ attacked, prepared: { key } }, n) =>
      post(key, '/v1/orders/preview', orderToPreview(attacked, n)),
  },
  {
    name: 'busy-carts',
    sentence: 'holds one code for another cart each time and lets go of it, as often as a key may',
    call: ({ prepared: { key, code } }, n) =>
      n % 2 === 0
        ? post(key, '/v1/benefits/holds', { client_benefit_code: code, external_id: `cart-${n}` })
        : { method: 'DELETE', path: `/v1/benefits/holds/cart-${n - 1}`, headers: bearer(key) },
  },
  {
    name: 'busy-checkouts',
    sentence: 'holds one code for a cart, hands it over to an order and lets go of it, as often as a key may',
    call: ({ attacked, prepared: { key, code } }, n) => {
      if (n % 3 === 0)
        return post(key, '/v1/benefits/holds', { client_benefit_code: code, external_id: `basket-${n}` });
      if (n % 3 === 1)
        return put(key, `/v1/orders/checkout-${n}`, checkout(attacked, code, `basket-${n - 1}`));
      const path = `/v1/benefits/holds/checkout-${n - 1}?client_benefit_code=${code}`;
      return { method: 'DELETE', path, headers: bearer(key) };
    },
  },
  {
    name: 'busy-standings',
    sentence: 'reads how members stand, as often as a key may',
    call: ({ attacked: { members }, prepared: { key } }, n) => ({
      path: `/v1/clients/${members[n % members.length]!.code}/standing`,
      headers: bearer(key),
    }),
  },
  {
    name: 'busy-pages',
    sentence: 'asks what carts of 100 lines would earn whoever buys them, as often as a key may',
    call: ({ prepared: { key } }) => post(key, '/v1/orders/preview', { paid: LINES, lines }),
  },
  {
    name: 'busy-readers',
    sentence: 'reads pages of the feed of events from its beginning, as often as a key may',
    call: ({ prepared: { key } }) => ({ path: '/v1/events?limit=1000', headers: bearer(key) }),
  },
  {
    name: 'busy-listeners',
    sentence: 'waits five seconds for events on each of 50 connections, again and again',
    call: ({ prepared: { key } }) => ({ path: '/v1/events?wait=5&types=member.left', headers: bearer(key) }),
  },
  {
    name: 'busy-vouching',
    sentence: 'vouches for its customers, as often as a key may',
    call: ({ attacked, prepared: { key } }, n) =>
      post(key, '/v1/sessions', { client_email: attacked.members[n % attacked.members.length]!.email }),
  },
  {
    name: 'busy-confirmations',
    sentence: 'confirms purchases again and again, as often as a key may',
    call: ({ prepared: { key, purchases } }, n) =>
      post(key, `${purchases[n % purchases.length]}/confirmation`, undefined),
  },
  {
    name: 'busy-visitors',
    sentence: 'asks what earns more and what a purchase of 20 lines would earn, as often as a network may',
    size: OF_A_NETWORK,
    call: ({ attacked: { commerceId } }, n) =>
      n % 2 === 0
        ? { path: '/v1/public/earning', headers: at(commerceId) }
        : {
            method: 'POST',
            path: '/v1/public/earning-preview',
            headers: at(commerceId),
            body: { amount: visitorsLines.length, lines: visitorsLines },
          },
  },
];

/** One attack for each kind of call. */
export const busyShop: readonly Attack[] = calls.map(({ name, sentence, size = OF_A_KEY, call }) =>
  defineAttack<Prepared>({
    name,
    sentence,
    prepare,
    load: {
      harmless: (field) => sendPurchases(field, size),
      attack: (field) => send(field, size, call),
      onlyInFull: true,
    },
    check: (stage, prepared) =>
      withCaller(stage.port, async (caller) => {
        const reply = await caller.call(
          ATTACKER,
          call({ ...stage, prepared, isOver: () => true }, 1_000_000),
        );
        return [
          {
            promise: 'the call is one that works',
            holds: [200, 201, 204, 400, 409].includes(reply.status),
            seen: `status ${reply.status} ${reply.status >= 400 ? reply.text : ''}`,
          },
        ];
      }),
  }),
);

function send(field: Field<Prepared>, size: typeof OF_A_KEY, call: Calls['call']): Promise<Tally> {
  return withCaller(field.port, (caller) =>
    sendWaves({ ...size, isOver: field.isOver }, (n) => caller.call(ATTACKER, call(field, n))),
  );
}

const SCOPES: readonly KeyScope[] = ['read', 'purchases', 'redeem', 'orders', 'sign_in', 'events', 'members'];

async function prepare({ port, attacked, openKey, openOwnerKey }: Stage): Promise<Prepared> {
  const key = await openKey(attacked, SCOPES);
  const owner = await openOwnerKey(attacked);
  return withCaller(port, async (caller) => {
    const ask = async (from: string, call: Call) => {
      const { status, text } = await caller.call(from, call);
      if (status >= 300) throw new Error(`${call.path}: ${status} ${text}`);
      return JSON.parse(text);
    };
    const { program, version } = await ask(ATTACKER, {
      path: '/admin/v1/program/model',
      headers: bearer(owner),
    });
    const earning = { ...program.earning, rules, pending: { until: 'confirmed', cancel_after_days: 30 } };
    const proposed = { program: { ...program, earning }, base_version: version };
    await ask(ATTACKER, post(owner, '/admin/v1/program/publish', proposed));
    // Another attack fills the list of the first member.
    const member = attacked.members.at(-1)!;
    const bought = await ask(member.from, {
      ...post(member.access, '/v1/me/benefits/exchange', { benefit_id: 'gift' }),
      headers: bearer(member.access, attacked.commerceId),
    });
    const purchases = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { headers } = await caller.call(ATTACKER, purchase(attacked, member.code));
        return String(headers['location']);
      }),
    );
    return { key, code: bought.client_benefit_code, purchases };
  });
}

/** Each line is of a product of its own, and every rule looks at all of them. */
const lines = Array.from({ length: LINES }, (_, n) => ({
  id: String(n),
  product: `product-${n}`,
  categories: [`category-${n % 20}`],
  units: 1,
  amount: 1,
}));

const rules = Array.from({ length: RULES }, (_, n) => ({
  id: `rule-${n}`,
  title: `Rule ${n}`,
  when: { categories: [`category-${n % 20}`], weekdays: ['monday', 'tuesday', 'wednesday', 'thursday'] },
  give: n % 2 === 0 ? { multiply: (100 + n) / 100 } : { points: 1, per: 'unit' },
  ...(n % 5 === 0 && { limit: { times: 1_000, per: 'day' } }),
}));

const visitorsLines = lines.slice(0, 20);

function order({ members }: Shop, n: number, version: number): object {
  const client_code = members[n % members.length]!.code;
  return { client_code, status: 'paid', paid: LINES, refunded: 0, version, codes: [], lines };
}

function orderToPreview({ members }: Shop, n: number): object {
  return { client_code: members[n % members.length]!.code, paid: LINES, lines };
}

/** Of the member who has bought the code. */
function checkout({ members }: Shop, code: number, cartId: string): object {
  const client_code = members.at(-1)!.code;
  return { client_code, status: 'open', paid: 0, refunded: 0, version: 1, codes: [code], cart_id: cartId };
}

function post(key: string, path: string, body: unknown): Call {
  return { method: 'POST', path, headers: bearer(key), ...(body !== undefined && { body }) };
}

function put(key: string, path: string, body: unknown): Call {
  return { method: 'PUT', path, headers: bearer(key), body };
}
