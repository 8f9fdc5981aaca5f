import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from '#program/check-program.ts';
import { sql } from '#db/database.ts';
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

test('a dry run of a new commerce takes no id, and two programs are tried apart', async () => {
  const { db } = await service();
  const program = (slug: string, name: string) => {
    const checked = checkProgram({
      slug,
      name,
      currency: 'EUR',
      time_zone: 'Europe/Madrid',
      earning: { money_per_point: 1 },
      benefits: [benefit('coffee', { title: name })],
    });
    assert.ok(checked.ok);
    return checked.program;
  };
  const slug = `tried-${(await makeShop()).slug}`;
  const next = async () => {
    const { rows } = await sql<{ id: number }>`
      select pg_sequence_last_value(pg_get_serial_sequence('commerces', 'id'))::int as id`.execute(db);
    return rows[0]!.id;
  };
  const before = await next();
  const [one, two] = await Promise.all([
    applyProgram(db, program(slug, 'One'), { dryRun: true }),
    applyProgram(db, program(`${slug}-2`, 'Two'), { dryRun: true }),
  ]);
  assert.deepEqual([one.commerceId, two.commerceId], [null, null]);
  assert.deepEqual([one.slug, two.slug], [slug, `${slug}-2`]);
  assert.equal(await next(), before);
  const { rows } = await sql`select from commerces where slug like ${`${slug}%`} or id < 0`.execute(db);
  assert.deepEqual(rows, []);
});

test('a new currency or time zone warns of the purchases that keep the old one, and is applied', async () => {
  const { db } = await service();
  const shop = await makeShop({ currency: 'EUR', time_zone: 'UTC' });
  const applyIn = async (currency: string, timeZone: string) => {
    const checked = checkProgram({
      slug: shop.slug,
      name: 'Moved',
      currency,
      time_zone: timeZone,
      earning: { money_per_point: 1 },
    });
    assert.ok(checked.ok);
    return (await applyProgram(db, checked.program)).warnings;
  };
  assert.deepEqual(await applyIn('USD', 'UTC'), []);
  const member = await shop.member();
  await shop.sell(member, 5);
  assert.deepEqual(await applyIn('EUR', 'UTC'), [
    'currency: the purchases so far were recorded in USD. Their amounts are not converted: they count as so many EUR, in lifetime amounts and tiers too',
  ]);
  await shop.sell(member, 5);
  assert.deepEqual(await applyIn('ARS', 'Asia/Tokyo'), [
    'currency: the purchases so far were recorded in EUR. Their amounts are not converted: they count as so many ARS, in lifetime amounts and tiers too',
    'time_zone: the purchases so far were recorded by the days of UTC. Days begin in Asia/Tokyo from now on, for months and birthdays too, and no points expire sooner',
  ]);
  assert.deepEqual(await applyIn('ARS', 'Asia/Tokyo'), []);
});
