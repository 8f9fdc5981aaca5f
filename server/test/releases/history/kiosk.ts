import { stringify } from 'yaml';
import { addStaff } from '#staff/invite-staff.ts';
import { sql, transaction } from '#db/database.ts';
import { openShop, type World } from './world.ts';

/**
 * A kiosk whose back office works by itself: it adjusts points, blocks, pins, gives a code back, erases, edits people,
 * uploads a logo, publishes two versions of its program and replaces a key. Its staff have roles. One member stopped the
 * birthday mails, and one address bounced.
 */
export async function liveKiosk(world: World): Promise<void> {
  const kiosk = await openShop(world, stringify(program));
  const office: typeof kiosk.office = (...call) => kiosk.office(...call);
  for (const name of ['ines', 'joao', 'lara', 'rosa']) await kiosk.signIn(`${name}@example.com`);
  await kiosk.sell('ines@example.com', 900, {}, 'kiosk-1');
  await kiosk.sell('joao@example.com', 400);
  await kiosk.sellByEmail('tiago@example.com', 70);
  const [ines, joao, lara, rosa] = await Promise.all(
    ['ines', 'joao', 'lara', 'rosa'].map(async (name) => await kiosk.memberId(`${name}@example.com`)),
  );

  await office('POST', `members/${ines}/adjustments`, { points: 25, reason: 'A late bus' }, 'kiosk-adjust-1');
  await office(
    'POST',
    `members/${joao}/adjustments`,
    { points: -10, reason: 'Counted twice' },
    'kiosk-adjust-2',
  );
  const raffle = { points: 7, reason: 'A raffle', expires_on: '2025-12-24' };
  await office('POST', `members/${ines}/adjustments`, raffle, 'kiosk-adjust-3');
  await office('POST', `members/${lara}/block`, { reason: 'Two people with one card' });
  await office('POST', `members/${rosa}/block`, { reason: 'A mix-up' });
  await office('POST', `members/${rosa}/unblock`, {});
  await office('PUT', `members/${joao}/level`, { level_id: 'friend', reason: 'He paints our windows' });
  await office('PATCH', `members/${joao}/profile`, { username: 'João', phone: '+351912345678' });
  const code = await kiosk.exchange('ines@example.com', 'newspaper', 'kiosk-exchange-1');
  await office('POST', `vouchers/${code}/return`, { reason: 'Sold out' });
  await kiosk.redeem(await kiosk.exchange('ines@example.com', 'newspaper'), 'kiosk-redeem-1');

  const { picture: logo } = (await office('POST', 'pictures', { data: LOGO })) as { picture: string };
  await kiosk.publish({ logo }, 'Our new logo');
  await kiosk.publish({
    mail: {
      sender: 'Kiosk',
      messages: { welcome: true },
      words: { welcome: { en: 'See you there.', es: null } },
    },
  });
  await transaction(world.db, (tx) =>
    addStaff(tx, kiosk.id, { email: 'marta@example.com', role: 'manager', name: 'Marta' }),
  );
  await sql`
    insert into mail_stops (commerce_id, member_id, kind)
    select commerce_id, id, 'birthday' from members where commerce_id = ${kiosk.id} and email = 'ines@example.com'`.execute(
    world.staffDb,
  );
  await kiosk.advance('40 days');
  await kiosk.sell('rosa@example.com', 55, {}, 'kiosk-2');
}

const program = {
  slug: 'kiosk',
  name: 'Kiosk',
  sandbox: true,
  clock: '2025-03-01T12:00:00Z',
  currency: 'EUR',
  time_zone: 'Europe/Lisbon',
  earning: { money_per_point: 2 },
  points_expiration: { mode: 'rolling', months: 12 },
  levels: {
    ladder: [
      { id: 'guest', name: 'Guest', threshold: 0 },
      { id: 'friend', name: 'Friend', threshold: 5_000, points_multiplier: 1.5 },
    ],
  },
  benefits: [
    {
      id: 'newspaper',
      type: 'free_product',
      title: 'A newspaper',
      cost: 100,
      product: { name: 'Newspaper' },
    },
  ],
  rewards: { welcome: { points: 10 } },
};

/** A PNG of eight by eight pixels. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAMAAADz0U65AAAAA1BMVEV6Pp0xZyTYAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWNgoA4AAABIAAF7pRHIAAAAAElFTkSuQmCC';
