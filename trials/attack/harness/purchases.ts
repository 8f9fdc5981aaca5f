import { openCaller, bearer, type Caller, type CallerOptions } from './caller.ts';
import type { Field, Shop, Tally } from './attack.ts';
import { ATTACKER } from './networks.ts';
import { sendWaves } from './waves.ts';

/** The harmless load of most attacks: purchases of the attacked shop, in waves of the same size. */
export function sendPurchases<P>(
  { port, attacked, isOver }: Field<P>,
  size: { connections: number; perSecond: number },
): Promise<Tally> {
  return withCaller(port, (caller) =>
    sendWaves({ ...size, isOver }, (n) =>
      caller.call(ATTACKER, purchase(attacked, attacked.members[n % attacked.members.length]!.code)),
    ),
  );
}

/** A purchase at the till. */
export function purchase(shop: Shop, code: number, amount = 10) {
  return {
    method: 'POST',
    path: '/v1/consumptions/client-code',
    headers: bearer(shop.key),
    body: { client_code: code, amount },
  } as const;
}

export function withCaller<T>(
  port: number,
  work: (caller: Caller) => Promise<T>,
  options?: CallerOptions,
): Promise<T> {
  return closeAfter(openCaller(port, options), work);
}

/** For calls from many addresses, each of which would keep a connection of its own. */
export function withFreshConnections<T>(port: number, work: (caller: Caller) => Promise<T>): Promise<T> {
  return closeAfter(openCaller(port, { keepAlive: false }), work);
}

async function closeAfter<T>(caller: Caller, work: (caller: Caller) => Promise<T>): Promise<T> {
  try {
    return await work(caller);
  } finally {
    caller.close();
  }
}
