/** The short forms of `npm run attack`: the same attacks for two seconds each, judged by answers only. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databaseUrl } from '#test/database.ts';
import { read } from '#test/repository.ts';
import { attacks } from '../../../bench/attack/attacks.ts';
import type { Stage } from '../../../bench/attack/harness/attack.ts';
import { runShortForm } from '../../../bench/attack/harness/short-form.ts';
import { withStage } from '../../../bench/attack/harness/stage.ts';

/** Attacks that still succeed, and what is needed against them. */
const SUCCEEDING: Readonly<Record<string, string>> = {
  'long-domains': 'a maximum length before a domain is encoded',
  'own-refresh-token': 'calls that wait for a row without a connection',
  'returns-of-one-purchase': 'calls that wait for a row without a connection',
  'never-reading': 'an end to sockets without progress',
  'idle-sockets': 'a cap on the sockets of a network',
  'growing-lists': 'a cap on unused codes of a member',
  'locked-out-owner': 'a reserve for known networks, and the link',
  'aliases-of-a-mailbox': 'counts by folded mailbox',
  'many-networks': 'caps on wide networks',
  'forged-forwarded-for': 'a parsed X-Forwarded-For',
  'weak-settings': 'stricter keys, program files, HTTP and tokens',
  'telling-ids': 'ids that say nothing',
};

const ON_LINUX = process.platform === 'linux';

describe('attacks', { skip: !ON_LINUX && 'needs Linux, where all of 127.0.0.0/8 is this machine' }, () => {
  const stage = Promise.withResolvers<Stage>();
  const done = Promise.withResolvers<void>();
  let running: Promise<void>;

  before(async () => {
    running = withStage(databaseUrl('postgres'), { short: true }, (ready) => {
      stage.resolve(ready);
      return done.promise;
    });
    await Promise.race([stage.promise, running]);
  });

  after(async () => {
    done.resolve();
    await running;
  });

  for (const attack of attacks) {
    const needs = SUCCEEDING[attack.name];
    const options = needs === undefined ? {} : { todo: `needs ${needs}` };
    test(`${attack.name}: nobody succeeds who ${attack.sentence}`, options, async (t) => {
      const findings = await (attack.spendsLimits === true
        ? withStage(databaseUrl('postgres'), { short: true }, (own) => runShortForm(attack, own))
        : runShortForm(attack, await stage.promise));
      for (const { promise, seen } of findings) t.diagnostic(`${promise}: ${seen}`);
      assert.deepEqual(
        findings.filter(({ holds }) => !holds),
        [],
      );
    });
  }
});

test('bench/README.md lists every attack with its sentence', () => {
  const listed = read('bench/README.md').matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm);
  const documented = new Map([...listed].map(([, name, sentence]) => [name, sentence]));
  for (const { name, sentence } of attacks) assert.equal(documented.get(name), sentence);
});
