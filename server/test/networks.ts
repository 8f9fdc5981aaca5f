/** Signing in from many client networks, through a proxy that the service trusts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../src/app.ts';
import type { RateLimits } from '#http/rate-limits.ts';
import { onEnd } from './database.ts';
import { SECRET, service } from './harness.ts';
import { atCommerce, mailedCodes } from './sign-in.ts';

/** A response of the service behind the proxy. */
export interface FarAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Networks {
  readonly askFrom: (address: string, commerceId: number, email: string) => Promise<FarAnswer>;
  readonly showFrom: (address: string, commerceId: number, email: string, otp: string) => Promise<FarAnswer>;
  readonly pressFrom: (address: string, commerceId: number, token: string) => Promise<FarAnswer>;
  /** Asks for a code and signs in with it. Returns false if no code was sent or it was refused. */
  readonly signInFrom: (address: string, commerceId: number, email: string) => Promise<boolean>;
  /** How often each cap refused something. */
  readonly refusals: () => Promise<ReadonlyMap<string, number>>;
}

/** Starts a service behind a proxy. Limits by client network apply unless `rateLimits` is null. */
export async function openNetworks(
  rateLimits: RateLimits | null = { perKey: 1000, perUser: 10, perNetwork: 20 },
): Promise<Networks> {
  const { db } = await service();
  const { createMetrics } = await import('#monitoring/metrics.ts');
  const metrics = createMetrics('1.0.0');
  const served = await metrics.listen('127.0.0.1', 0);
  const app = await buildApp({
    db,
    log: false,
    secret: SECRET,
    rateLimits,
    trustProxy: ['127.0.0.1'],
    metrics,
  });
  onEnd(async () => {
    await app.close();
    await served.close();
  });

  async function post(path: string, address: string, commerceId: number, payload: object) {
    const headers = { ...atCommerce(commerceId), 'x-forwarded-for': address };
    const send = () => app.inject({ method: 'POST', url: `/v1/auth/${path}`, headers, payload });
    let answer = await send();
    // A busy machine refuses some of many calls at once. Such a call had no effect, and callers repeat it.
    for (let tries = 1; answer.statusCode === 503 && tries < 20; tries += 1) {
      await sleep(250);
      answer = await send();
    }
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
  }

  const networks: Networks = {
    askFrom: (address, commerceId, email) => post('otp/request', address, commerceId, { email }),
    showFrom: (address, commerceId, email, otp) => post('otp/verify', address, commerceId, { email, otp }),
    pressFrom: (address, commerceId, token) => post('link/verify', address, commerceId, { token }),
    async signInFrom(address, commerceId, email) {
      const before = await mailedCodes(commerceId, email);
      await networks.askFrom(address, commerceId, email);
      const codes = await mailedCodes(commerceId, email);
      if (codes.length === before.length) return false;
      return (await networks.showFrom(address, commerceId, email, codes[0]!)).status === 200;
    },
    async refusals() {
      const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
      return new Map(
        [...text.matchAll(/^loyalty_refused_total\{cap="([\w-]+)"\} (\d+)$/gm)].map(([, cap, count]) => [
          cap!,
          Number(count),
        ]),
      );
    },
  };
  return networks;
}

let last = 0;

/** Returns an IPv4 address in a /24 that no other test of this process uses. */
export function anAddress(): string {
  last += 1;
  return `10.${last >> 8}.${last & 255}.7`;
}
