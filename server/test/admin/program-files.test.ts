/** A program that was edited in the back office is a file that makes the same commerce anywhere else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Database } from '#db/database.ts';
import type { Program } from '#program/program.ts';
import { readProgram } from '#program/read-program.ts';
import { writeProgram } from '#program/write-program.ts';
import type { ProgramFile, ProgramFileRead, PublishedProgram } from '../../../sdk/src/admin.ts';
import { anyProgram } from '#test/any-program.ts';
import { loyalty } from '#test/command.ts';
import { anotherDatabase, databaseUrl, nameOf } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeStaff } from '#test/staff.ts';

/** Applies a file to an installation without the commerce, and returns what that installation exports. */
async function exportElsewhere(elsewhere: Database, text: string): Promise<string> {
  const read = readProgram(text);
  assert.ok(read.ok);
  const { commerceId, created } = await applyProgram(elsewhere, read.program, { clock: read.clock });
  assert.ok(created);
  return writeProgram((await readCommerce(elsewhere, commerceId!))!.program);
}

/** Every tier names its id, so that none can be taken for another one under a new name. */
function withEveryId({ levels, ...program }: Program): Program {
  const ladder = levels.ladder.map((tier) => ({ ...tier, id: tier.id ?? `t${tier.threshold}` }));
  return { ...program, levels: { ...levels, ladder } };
}

test('any program that is published exports a file that an empty installation exports byte for byte again', async () => {
  const { db } = await service();
  const elsewhere = await anotherDatabase();
  let made = 0;
  await fc.assert(
    fc.asyncProperty(anyProgram(), anyProgram(), async (before, after) => {
      const slug = `run-${made++}`;
      const { commerceId: id } = await applyProgram(db, { ...before, slug });
      const owner = await makeStaff({ id: id! }, 'owner');
      const program = withEveryId({ ...after, slug, sandbox: before.sandbox });
      const answer = await owner.post('program/publish', { program, base_version: 1 });
      assert.equal(answer.status, 200, answer.text);
      const { text } = (await owner.get('program/file')).body as ProgramFile;
      assert.equal(await exportElsewhere(elsewhere, text), text);

      // And the file says here what is in force already.
      const { program: read } = (await owner.post('program/file/read', { text })).body as ProgramFileRead;
      const again = await owner.post('program/publish', { program: read, base_version: 2 });
      assert.deepEqual((again.body as PublishedProgram).changes, []);
    }),
    // Each step of shrinking would publish again, and there are thousands.
    { numRuns: 8, endOnFailure: true },
  );
});

test('the commands export a published program, apply it to an empty installation and export it byte for byte again', async () => {
  const { db } = await service();
  const elsewhere = { env: { DATABASE_URL: databaseUrl(await nameOf(await anotherDatabase())) } };
  const example = readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8');
  const read = readProgram(example);
  assert.ok(read.ok);
  const { commerceId } = await applyProgram(db, read.program, { clock: read.clock });
  const owner = await makeStaff({ id: commerceId! }, 'owner');
  const { benefits, levels } = read.program;
  const edited = {
    ...read.program,
    name: 'Café Luna: "the # one"',
    benefits: benefits.toReversed(),
    levels: { ...levels, ladder: levels.ladder.map((tier) => ({ ...tier, points_multiplier: 1.125 })) },
  };
  const published = await owner.post('program/publish', { program: edited, base_version: 1 });
  assert.equal(published.status, 200, published.text);
  const exported = await loyalty(['export', read.program.slug]);
  assert.equal(exported.stdout, ((await owner.get('program/file')).body as ProgramFile).text);
  const applied = await loyalty(['apply', '-'], { ...elsewhere, input: exported.stdout });
  assert.equal(applied.code, 0, applied.stderr);
  assert.equal((await loyalty(['export', read.program.slug], elsewhere)).stdout, exported.stdout);
});
