import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from '#program/check-program.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { applyProgram } from './apply-program.ts';

test('a dry run leaves nothing behind, not even in memory', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const tried = checkProgram({
    slug: shop.slug,
    name: 'Tried',
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 500 },
    points_expiration: { mode: 'rolling', months: 3 },
    benefits: [benefit('ghost')],
  });
  assert.ok(tried.ok);
  await applyProgram(db, tried.program, { dryRun: true });

  // This program gets the version number that the dry run would have used.
  await shop.apply({ benefits: [benefit('tea')] });
  const catalog = await shop.visit('/v1/public/benefits');
  assert.deepEqual(
    (catalog.body as { id: string }[]).map(({ id }) => id),
    ['tea'],
  );
  const member = await shop.member();
  await shop.sell(member, 1_000);
  assert.equal(((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points, 1_000);
});
