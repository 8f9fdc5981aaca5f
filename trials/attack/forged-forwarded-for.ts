import { defineAttack, type Finding } from './harness/attack.ts';
import { at, openCaller } from './harness/caller.ts';
import { PROXY } from './harness/networks.ts';

const CALLS = 120;

/** A public endpoint allows a network 20 calls a second, so 120 at once must meet the limit. */
export const forgedForwardedFor = defineAttack({
  name: 'forged-forwarded-for',
  sentence: 'calls through a proxy that adds ports to X-Forwarded-For, or sends no address at all',
  async check({ port, others }) {
    const kinds: [string, (n: number) => string][] = [
      ['the ports of one IPv4 address are one network', (n) => `7.7.7.7:${10_000 + n}`],
      ['the ports of one IPv6 address are one network', (n) => `[2001:db8:9::1]:${10_000 + n}`],
      ['what is no address counts as the peer', (n) => `nobody-${n}`],
    ];
    const caller = openCaller(port);
    const findings: Finding[] = [];
    for (const [promise, forwardedFor] of kinds) {
      const replies = await Promise.all(
        Array.from({ length: CALLS }, (_, n) =>
          caller.call(PROXY, {
            path: '/v1/public/commerce',
            headers: { ...at(others.commerceId), 'x-forwarded-for': forwardedFor(n) },
          }),
        ),
      );
      const refused = replies.filter(({ status }) => status === 429).length;
      findings.push({ promise, holds: refused > 0, seen: `${refused} of ${CALLS} refused` });
    }
    caller.close();
    return findings;
  },
});
