import { defineAttack, type Shop } from './harness/attack.ts';
import { bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

/** As many calls as one owner's key may send, and five times the bytes that it may send. */
const size = { connections: 5, perSecond: 25 };
const DRAFT_BENEFITS = 900;

export const largeDrafts = defineAttack<{ key: string; program: object }>({
  name: 'large-drafts',
  sentence: 'has drafts of 400 KB checked, tried, written and shown as mails, as often as an owner may call',
  async prepare({ attacked, openOwnerKey }) {
    return { key: await openOwnerKey(attacked), program: largeProgram(attacked) };
  },
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, isOver, prepared: { key, program } }) =>
      withCaller(port, (caller) => {
        const calls = draftCalls(key, program);
        return sendWaves({ ...size, isOver }, (n) => caller.call(ATTACKER, calls[n % calls.length]!));
      }),
  },
  check: ({ port }, { key, program }) =>
    withCaller(port, async (caller) => {
      const answers = await Promise.all(draftCalls(key, program).map((call) => caller.call(ATTACKER, call)));
      const statuses = answers.map(({ status }) => status);
      return [
        {
          promise: 'each is done, or refused with when to come back',
          holds: answers.every(({ status, headers }) => status === 200 || Boolean(headers['retry-after'])),
          seen: statuses.join(', '),
        },
      ];
    }),
});

function largeProgram({ slug }: Shop): object {
  const description = 'Ten per cent off. '.repeat(15);
  const benefit = { type: 'percentage_discount', value: 10, cost: 5, description };
  return {
    slug,
    name: slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
    benefits: Array.from({ length: DRAFT_BENEFITS }, (_, n) => ({
      ...benefit,
      id: `b${n}`,
      title: `Benefit ${n}`,
    })),
  };
}

function draftCalls(key: string, program: object): Call[] {
  const calls = {
    'program/check': { program, base_version: 1 },
    'program/try': { program, amount: 10 },
    'program/file/read': { text: JSON.stringify(program) },
    'program/file/write': { program },
    'messages/preview': { program, kind: 'welcome' },
  };
  return Object.entries(calls).map(([path, body]) => ({
    method: 'POST',
    path: `/admin/v1/${path}`,
    headers: bearer(key),
    raw: JSON.stringify(body),
  }));
}
