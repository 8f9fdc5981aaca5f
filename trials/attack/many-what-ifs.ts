import { defineAttack, type Shop } from './harness/attack.ts';
import { bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

/** Both ask again as soon as they have an answer. */
const size = { connections: 2, perSecond: 20 };
/** Enough for one that goes on when the next caller looks. */
const PURCHASES = { full: 60_000, short: 4_000 };

/** Two replays of others come first, and each starts a process. On a busy machine that takes a while. */
const LONGEST_WAIT_MS = 60_000;

interface Askers {
  readonly large: readonly Call[];
  readonly other: Call;
}

export const manyWhatIfs = defineAttack<Askers>({
  name: 'many-what-ifs',
  sentence: 'asks two what-ifs of shops with much history, again and again',
  async prepare({ attacked, others, short, openShop, openOwnerKey, fill }) {
    const shops = [attacked, await openShop('second-large-shop')];
    for (const shop of shops) await fill(shop, short ? PURCHASES.short : PURCHASES.full);
    const ask = async (shop: Shop) => whatIf(await openOwnerKey(shop), shop);
    return { large: await Promise.all(shops.map(ask)), other: await ask(others) };
  },
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, isOver, prepared: { large } }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) => caller.call(ATTACKER, large[n % large.length]!)),
      ),
  },
  during: ({ port }, { other }) =>
    withCaller(
      port,
      async (caller) => {
        const { status, text } = await caller.call(ATTACKER, other);
        const lines = text.split('\n').filter((line) => line !== '');
        const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
        return [
          {
            promise: 'another shop gets its turn and its answer meanwhile',
            holds: status === 200 && types.at(-1) === 'result',
            seen: `status ${status}, ${types[0]} … ${types.at(-1)}`,
          },
        ];
      },
      { patienceMs: LONGEST_WAIT_MS },
    ),
});

/** The price of a point doubles, so every purchase is decided anew. */
function whatIf(key: string, { slug }: Shop): Call {
  const program = {
    slug,
    name: slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 2 },
  };
  return { method: 'POST', path: '/admin/v1/program/what-if', headers: bearer(key), body: { program } };
}
