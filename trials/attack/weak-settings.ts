import { defineAttack, expectStatus, type Finding, type Stage } from './harness/attack.ts';
import { at, bearer } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';
import { firstLineOf } from './harness/raw-sockets.ts';
import { applyFile } from './harness/run-command.ts';
import { tryStart } from './harness/try-start.ts';

export const weakSettings = defineAttack({
  name: 'weak-settings',
  sentence:
    'uses a guessable SECRET_KEY, a program file full of aliases, odd HTTP and tokens with = appended',
  async check(stage) {
    return [
      await startWithWeakKey(stage),
      await applyAliases(stage),
      ...(await sendOddHttp(stage)),
      ...(await appendEquals(stage)),
    ];
  },
});

async function startWithWeakKey({ env }: Stage): Promise<Finding> {
  const { started, seen } = await tryStart({ ...env, SECRET_KEY: 'a'.repeat(40) });
  return {
    promise: 'a SECRET_KEY of one letter is refused in production',
    holds: !started && seen.includes('SECRET_KEY'),
    seen,
  };
}

/** 43 KB in which every benefit is an alias. */
async function applyAliases({ env }: Stage): Promise<Finding> {
  const benefits = Array.from({ length: 4_700 }, () => '  - *tea');
  const file = `slug: aliases
name: Aliases
currency: EUR
time_zone: Europe/Madrid
earning: { money_per_point: 1 }
benefits:
  - &tea { id: tea, type: free_product, title: Tea, cost: 1 }
${benefits.join('\n')}
`;
  const { exitCode, printed, seconds } = await applyFile(file, env);
  return {
    promise: 'a program file with many aliases is refused for its aliases',
    holds: exitCode === 1 && /alias/i.test(printed),
    seen: `exit ${exitCode} after ${seconds.toFixed(1)} s: ${printed.split('\n', 1)[0]?.slice(0, 80)}`,
  };
}

async function sendOddHttp({ port }: Stage): Promise<Finding[]> {
  const requests = {
    'GET / HTTP/2.0 is refused': 'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n',
    'Transfer-Encoding: identity, chunked is refused':
      'POST /v1/auth/refresh HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      'x-commerce-id: 1\r\ntransfer-encoding: identity, chunked\r\n\r\n11\r\n{"refresh":"xyz"}\r\n0\r\n\r\n',
  };
  return Promise.all(
    Object.entries(requests).map(async ([promise, bytes]) => {
      const seen = await firstLineOf(port, ATTACKER, bytes);
      return {
        promise,
        holds: seen === '' || /^HTTP\/1\.1 (400|501|505)/.test(seen),
        seen: seen || 'closed',
      };
    }),
  );
}

async function appendEquals({ port, attacked }: Stage): Promise<Finding[]> {
  const { access, refresh, from } = attacked.members[3]!;
  return withCaller(port, async (caller) => [
    expectStatus(
      'a key with = appended is refused',
      await caller.call(ATTACKER, { path: '/v1/benefits/list', headers: bearer(`${attacked.key}=`) }),
      [401],
    ),
    expectStatus(
      'an access token with = appended is refused',
      await caller.call(from, { path: '/v1/me', headers: bearer(`${access}=`, attacked.commerceId) }),
      [401],
    ),
    expectStatus(
      'a refresh token with = appended is refused',
      await caller.call(from, {
        method: 'POST',
        path: '/v1/auth/refresh',
        headers: at(attacked.commerceId),
        body: { refresh: `${refresh}=` },
      }),
      [401],
    ),
  ]);
}
