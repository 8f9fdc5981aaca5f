/** The short forms of `npm run attack`: the same attacks for two seconds each, judged by answers only. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseUrl } from '#test/database.ts';
import { attacks } from '../../../bench/attack/attacks.ts';
import type { Stage } from '../../../bench/attack/harness/attack.ts';
import { runShortForm } from '../../../bench/attack/harness/short-form.ts';
import { withStage } from '../../../bench/attack/harness/stage.ts';

/** Attacks that still succeed, and what is needed against them. */
const SUCCEEDING: Readonly<Record<string, string>> = {};

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
  test(
    `nobody succeeds who ${attack.sentence}`,
    needs === undefined ? {} : { todo: `needs ${needs}` },
    async (t) => {
      const findings = await runShortForm(attack, await stage.promise);
      for (const { promise, seen } of findings) t.diagnostic(`${attack.name}: ${promise}: ${seen}`);
      assert.deepEqual(
        findings.filter(({ holds }) => !holds),
        [],
      );
    },
  );
}
