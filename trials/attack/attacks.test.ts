/** The short forms of `npm run attack`: the same attacks for two seconds each, judged by answers only. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databaseUrl } from '../../server/test/database.ts';
import { read } from '../../server/test/repository.ts';
import { attacks } from './attacks.ts';
import type { Stage } from './harness/attack.ts';
import { runShortForm } from './harness/short-form.ts';
import { withStage } from './harness/stage.ts';

/** Attacks that still succeed, and what is needed against them. */
const SUCCEEDING: Readonly<Record<string, string>> = {};

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

test('trials/README.md lists every attack with its sentence', () => {
  const listed = read('trials/README.md').matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm);
  const documented = new Map([...listed].map(([, name, sentence]) => [name, sentence]));
  for (const { name, sentence } of attacks) assert.equal(documented.get(name), sentence);
});
