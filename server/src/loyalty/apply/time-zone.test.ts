import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { endOfDay } from '#calendar/calendar.ts';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { expirePoints } from '#jobs/expire-points.ts';

const { db } = await service();

test('in a time zone farther east, points last until the first day that ends no sooner', async () => {
  const { shop, member } = await shopIn('America/New_York', '2027-01-10T15:00:00Z');
  assert.deepEqual(await endsOf(shop, member), ['2027-03-11T04:59:59.999Z']); // 10 March
  await shop.apply(expiringIn('Asia/Tokyo'));
  assert.deepEqual(await endsOf(shop, member), ['2027-03-11T14:59:59.999Z']); // 11 March
  await assertBooksAgree(db, shop.id);
});

test('in a time zone farther west, points keep their last day, which ends later', async () => {
  const { shop, member } = await shopIn('Asia/Tokyo', '2027-01-10T09:00:00Z');
  await shop.apply(expiringIn('America/New_York'));
  assert.deepEqual(await endsOf(shop, member), ['2027-03-11T04:59:59.999Z']); // 10 March still
  await assertBooksAgree(db, shop.id);
});

for (const job of ['has run', 'has not run'] as const) {
  test(`expired points stay expired if their day begins again in the new zone, and the job ${job}`, async () => {
    const { shop, member } = await shopIn('Asia/Tokyo', '2027-01-10T09:00:00Z');
    await setClock(db, shop.id, new Date('2027-03-10T15:00:01Z')); // a second into 11 March
    if (job === 'has run') await expirePoints.run(db, shop.id);
    await shop.apply(expiringIn('America/New_York')); // 10 March again
    assert.deepEqual([await pointsOf(shop, member), await endsOf(shop, member)], [0, []]);
    const { rows } = await sql<{ at: Date; points: number }>`
      select at, points from movements where commerce_id = ${shop.id} and type = 'expiry'`.execute(db);
    assert.deepEqual(rows, [{ at: new Date('2027-03-10T14:59:59.999Z'), points: -30 }]);
    await assertBooksAgree(db, shop.id);
  });
}

test('if the mode changes too, points are dated as if granted now, or keep their date if that is later', async () => {
  const { shop, member } = await shopIn('America/New_York', '2027-01-10T15:00:00Z', 24);
  await setClock(db, shop.id, new Date('2027-02-10T15:00:00Z'));
  await shop.sell(member, 5);
  await shop.apply({ ...expiringIn('Asia/Tokyo'), points_expiration: { mode: 'accumulated', months: 3 } });
  assert.deepEqual(await endsOf(shop, member), ['2029-02-11T14:59:59.999Z']); // 10 February, and a day for the zone
  await shop.apply({ ...expiringIn('Asia/Tokyo'), points_expiration: { mode: 'none' } });
  assert.deepEqual([await pointsOf(shop, member), await endsOf(shop, member)], [35, []]);
  await assertBooksAgree(db, shop.id);
});

const ZONES = [
  'Pacific/Pago_Pago',
  'America/New_York',
  'America/St_Johns',
  'UTC',
  'Europe/Madrid',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];

test('from any zone to any other, no date ends sooner or later than it must, and no balance changes', async () => {
  const zone = fc.constantFrom(...ZONES);
  const hours = fc.integer({ min: 0, max: 24 * 70 });
  await fc.assert(
    fc.asyncProperty(
      zone,
      fc.array(fc.tuple(zone, hours), { minLength: 1, maxLength: 3 }),
      async (first, moves) => {
        let now = Date.parse('2027-01-28T12:00:00Z');
        const { shop, member } = await shopIn(first, new Date(now).toISOString(), 1);
        let before = first;
        for (const [next, hours] of moves) {
          now += hours * 3_600_000;
          await setClock(db, shop.id, new Date(now));
          await shop.sell(member, 7);
          const [ends, points] = [await daysOf(shop, member, before), await pointsOf(shop, member)];
          await shop.apply(expiringIn(next, 1));
          assert.equal(await pointsOf(shop, member), points);
          const after = await daysOf(shop, member, next);
          for (const { day, end } of ends) {
            const good = after.find((one) => one.end >= end)!;
            assert.ok(
              good.day === day || endOfDay(dayBefore(good.day), next) < end,
              `${before} ${day} ${next}`,
            );
          }
          before = next;
        }
        await assertBooksAgree(db, shop.id);
      },
    ),
    { numRuns: 25 },
  );
});

function expiringIn(timeZone: string, months = 2): ProgramFields {
  return { sandbox: true, time_zone: timeZone, points_expiration: { mode: 'rolling', months } };
}

/** Returns a shop in that zone whose clock shows `now`, and a member who buys for 30 at that time. */
async function shopIn(
  timeZone: string,
  now: string,
  months = 2,
): Promise<{ shop: Shop; member: MadeMember }> {
  const shop = await makeShop(expiringIn(timeZone, months));
  await setClock(db, shop.id, new Date(now));
  const member = await shop.member();
  await shop.sell(member, 30);
  return { shop, member };
}

/** Returns the instants at which points expire, as the member sees them. */
async function endsOf(shop: Shop, member: MadeMember): Promise<string[]> {
  const { body } = await (await shop.browser(member)).get('/v1/me/points/expirations');
  return (body as { expiration_date: string }[]).map((one) => one.expiration_date);
}

async function daysOf(shop: Shop, member: MadeMember, zone: string): Promise<{ day: string; end: Date }[]> {
  const ends = await endsOf(shop, member);
  return ends.map((end) => ({
    day: Temporal.Instant.from(end).toZonedDateTimeISO(zone).toPlainDate().toString(),
    end: new Date(end),
  }));
}

function dayBefore(day: string): string {
  return Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
}
