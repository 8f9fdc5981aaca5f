import { startService } from '../../bench/child.ts';
import { defineAttack, type Field, type Member, type Shop, type Tally } from './harness/attack.ts';
import { bearer, type Caller, type Reply } from './harness/caller.ts';
import { withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

/** Nine minutes at ten a second. The short form makes do with less, which is still too much for a list. */
const EXCHANGES = { full: 5_400, short: 2_000 };
const MOST_BYTES = 5_000_000;
const size = { connections: 10, perSecond: 10 };

export const growingLists = defineAttack<{ bought: number }>({
  name: 'growing-lists',
  sentence: 'takes free benefits for nine minutes and then reads the list of them, as often as a member may',
  // A process without limits, so that the nine minutes pass in seconds.
  async prepare({ env, attacked, short }) {
    const service = await startService({ ...env, RATE_LIMITS: 'off' });
    try {
      const bought = await takeGifts(service.port, attacked, short ? EXCHANGES.short : EXCHANGES.full);
      return { bought };
    } finally {
      await service.stop();
    }
  },
  load: {
    harmless: (field) => readListOf(field, field.attacked.members[1]!),
    attack: (field) => readListOf(field, field.attacked.members[0]!),
  },
  check: ({ port, attacked }, { bought }) =>
    withCaller(port, async (caller) => {
      const { text } = await read(caller, attacked, attacked.members[0]!);
      return [
        {
          promise: 'the list of one member stays below 5 MB',
          holds: text.length < MOST_BYTES,
          seen: `${(text.length / 1e6).toFixed(1)} MB after ${bought} free exchanges`,
        },
      ];
    }),
});

function readListOf({ port, attacked, isOver }: Field<unknown>, member: Member): Promise<Tally> {
  return withCaller(port, (caller) => sendWaves({ ...size, isOver }, () => read(caller, attacked, member)));
}

function read(caller: Caller, shop: Shop, member: Member): Promise<Reply> {
  return caller.call(member.from, {
    path: '/v1/me/benefits',
    headers: bearer(member.access, shop.commerceId),
  });
}

/** Exchanges so often, or until it is refused. Returns how often it was not. */
function takeGifts(port: number, shop: Shop, exchanges: number): Promise<number> {
  const member = shop.members[0]!;
  return withCaller(port, async (caller) => {
    let [asked, bought, refused] = [0, 0, false];
    const takeSome = async () => {
      while (!refused && asked < exchanges) {
        const { status } = await caller.call(member.from, {
          method: 'POST',
          path: '/v1/me/benefits/exchange',
          headers: { ...bearer(member.access, shop.commerceId), 'idempotency-key': `gift-${asked++}` },
          body: { benefit_id: 'gift' },
        });
        if (status === 200 || status === 201) bought += 1;
        else if (status < 500) refused = true;
      }
    };
    await Promise.all(Array.from({ length: 64 }, takeSome));
    return bought;
  });
}
