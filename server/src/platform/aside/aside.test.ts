import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createCaps } from '#base/caps.ts';
import { Overloaded } from '#problems/problem.ts';
import { checkProgram } from '#program/check-program.ts';
import { writeProgram } from '#program/write-program.ts';
import { plainPicture } from '#test/pictures.ts';
import { createAside } from './aside.ts';

const description = 'Ten per cent off. '.repeat(10);
const large = {
  slug: 'cafe-luna',
  name: 'Café Luna',
  currency: 'EUR',
  time_zone: 'Europe/Madrid',
  earning: { money_per_point: 1 },
  benefits: Array.from({ length: 300 }, (_, n) => ({
    id: `b${n}`,
    title: 'Coffee',
    type: 'percentage_discount',
    value: 10,
    cost: 5,
    description,
  })),
};

/** The processes that this one has started. */
const children = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);

async function untilNone(): Promise<void> {
  while (children().length > 0) await pause(20);
}

const ON_LINUX = { skip: process.platform !== 'linux' && 'reads /proc' };
const aside = createAside(createCaps(), { longestMs: 120_000, longestWaitMs: 120_000 });
after(() => aside.close());

test('what is done aside is what would be done here', async () => {
  const wrong = { ...large, currency: 'euro', benefitz: [] };
  for (const said of [large, wrong]) assert.deepEqual(await aside.checkProgram(1, said), checkProgram(said));
  const checked = checkProgram(large);
  assert.ok(checked.ok);
  const text = writeProgram(checked.program);
  assert.equal(await aside.writeProgram(1, checked.program), text);
  const read = await aside.readProgram(1, text);
  assert.ok(read.ok);
  assert.deepEqual(read.program, checked.program);
  const picture = await aside.writeAnew(1, await plainPicture(900, 300).png().toBuffer());
  assert.deepEqual(
    [picture.width, picture.height, picture.large.subarray(8, 12).toString()],
    [900, 300, 'WEBP'],
  );
});

test('a draft that is nested deeper than it can be written is refused as such', async () => {
  // A number as a key takes the slower way of writing, which has to return from every depth.
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  const checked = await aside.checkProgram(1, { ...large, 2: 0, deep });
  assert.ok(!checked.ok);
  assert.equal(checked.problems[0]!.message, 'is nested too deeply');
});

test('a commerce has one piece of work done at a time and few wait; the rest is refused, and another is served', async () => {
  const caps = createCaps();
  const small = createAside(caps, { longestMs: 120_000, longestWaitMs: 120_000 });
  try {
    const mine = Promise.allSettled(Array.from({ length: 16 }, () => small.checkProgram(1, large)));
    const theirs = await small.checkProgram(2, large);
    assert.ok(theirs.ok);
    const outcomes = await mine;
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.deepEqual([refused.length, outcomes.length - refused.length], [7, 9]);
    for (const one of refused) assert.ok(one.status === 'rejected' && one.reason instanceof Overloaded);
    assert.equal(caps.counts().get('calls-of-a-commerce'), 7);
    assert.ok((await small.checkProgram(1, large)).ok, 'the place is free again');
  } finally {
    small.close();
  }
});

test('work that takes too long is ended with its process, and the next one is served', ON_LINUX, async () => {
  aside.close();
  await untilNone();
  // None of this is done within a millisecond.
  const impatient = createAside(createCaps(), { longestMs: 1 });
  const checked = await impatient.checkProgram(1, large);
  assert.ok(!checked.ok);
  assert.match(checked.problems[0]!.message, /takes too long/);
  const file = await impatient.readProgram(1, "'a' ".repeat(100_000));
  assert.ok(!file.ok);
  const picture = await plainPicture(3000, 1000).png().toBuffer();
  await assert.rejects(impatient.writeAnew(1, picture), { code: 'unusable_picture' });
  await untilNone();
  const patient = createAside(createCaps(), { longestMs: 120_000, idleMs: 100 });
  assert.ok((await patient.checkProgram(1, large)).ok);
  assert.equal(children().length, 1);
  // Nobody needs it, so it ends.
  await untilNone();
});
