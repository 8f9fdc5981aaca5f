import { readWireIds } from '#batching/wire-ids.ts';
import { sql, type Database } from '#db/database.ts';
import { headersOf, type Shop, type World } from './history/world.ts';
import type { Call } from './release.ts';

type Wanted = Omit<Call, 'status' | 'answer'>;

/**
 * Makes every call that only reads: of each shop with its key, as a visitor of its pages, and as each person who is
 * signed in, whether they ever joined it or not. Gives the answers.
 */
export async function recordAnswers(world: World): Promise<Call[]> {
  const calls: Call[] = [];
  const ask = async (wanted: Wanted) => {
    const call = await answered(world, wanted);
    calls.push(call);
    return call.answer;
  };
  for (const shop of world.shops.values()) {
    for (const wanted of await callsOfShop(world.staffDb, shop)) await ask(wanted);
    for (const email of await peopleOf(world, shop)) {
      for (const path of [
        '/v1/me',
        '/v1/me/level',
        '/v1/me/benefits',
        '/v1/me/points/expirations',
        '/v1/me/points/pending',
        '/v1/me/stamps',
      ])
        await ask({ at: shop.slug, by: email, method: 'GET', path });
      await askForHistory(ask, shop.slug, email);
    }
    const [someone] = world.people.keys();
    for (const path of ['/v1/me/rewards', '/v1/me/benefits/available'])
      await ask({ at: shop.slug, by: someone!, method: 'GET', path });
  }
  return calls;
}

/** Repeats a call and gives what is answered now. */
async function answered(world: World, wanted: Wanted): Promise<Call> {
  const { at, by, method, path, body } = wanted;
  const { statusCode, payload } = await world.app.inject({
    method: method as 'GET',
    url: path,
    headers: headersOf(world, world.shops.get(at)!, by),
    ...(body && { payload: body }),
  });
  return { ...wanted, status: statusCode, answer: JSON.parse(payload) as unknown };
}

async function callsOfShop(db: Database, { id, slug }: Shop): Promise<Wanted[]> {
  const key = (method: string, path: string, body?: object): Wanted => ({
    at: slug,
    by: 'key',
    method,
    path,
    ...(body && { body }),
  });
  const members = await sql<{ code: number | null; email: string | null }>`
    select code, email from members where commerce_id = ${id} order by id`.execute(db);
  const vouchers = await sql<{ code: number }>`
    select code from vouchers where commerce_id = ${id} order by code`.execute(db);
  const purchases = await sql<{ id: number }>`
    select id from movements where commerce_id = ${id} and type = 'purchase' order by id`.execute(db);
  const purchaseIds = await readWireIds(db, id, 'purchase');
  const orders = await sql<{ id: string }>`
    select external_id as id from orders where commerce_id = ${id} order by external_id`.execute(db);
  const benefits = await sql<{ id: string }>`
    select id from benefits where commerce_id = ${id} order by position`.execute(db);
  const clients = members.rows.flatMap(({ code }) => (code === null ? [] : [code]));
  return [
    key('GET', '/v1/clients/list?limit=100'),
    key('GET', '/v1/clients/list?limit=3&offset=2'),
    key('GET', '/v1/clients/list?offset=1000'),
    ...clients.flatMap((code) => [
      key('GET', `/v1/clients/${code}`),
      key('GET', `/v1/clients/${code}/benefits`),
      key('POST', '/v1/consumptions/preview', { client_code: code, amount: 12_345 }),
    ]),
    ...members.rows.flatMap(({ email }) =>
      email === null ? [] : [key('POST', '/v1/clients/email', { client_email: email })],
    ),
    key('GET', '/v1/clients/100000001'),
    key('GET', '/v1/benefits/list'),
    ...benefits.rows.map((benefit) => key('GET', `/v1/benefits/${benefit.id}`)),
    ...vouchers.rows.flatMap(({ code }) => [
      key('GET', `/v1/benefits/preview/${code}`),
      key('GET', `/v2/benefits/preview/${code}`),
    ]),
    ...purchases.rows.map((purchase) => key('GET', `/v1/consumptions/${purchaseIds.toWire(purchase.id)}`)),
    ...orders.rows.map((order) => key('GET', `/v1/orders/${order.id}`)),
    key('GET', '/v1/orders'),
    key('GET', '/v1/events?limit=1000'),
    ...(await callsOfOffice(db, id, slug)),
    { at: slug, by: 'visitor', method: 'GET', path: '/v1/public/commerce' },
    { at: slug, by: 'visitor', method: 'GET', path: '/v1/public/benefits' },
  ];
}

/** What the back office reads about members, the program and the past. */
async function callsOfOffice(db: Database, id: number, slug: string): Promise<Wanted[]> {
  const office = (method: string, path: string, body?: object): Wanted => ({
    at: slug,
    by: 'office',
    method,
    path: `/admin/v1/${path}`,
    ...(body && { body }),
  });
  const members = await sql<{ id: number }>`
    select id from members where commerce_id = ${id} order by id`.execute(db);
  const memberIds = await readWireIds(db, id, 'member');
  return [
    ...members.rows.flatMap((member) => [
      office('GET', `members/${memberIds.toWire(member.id)}/history`),
      office('GET', `members/${memberIds.toWire(member.id)}/benefits`),
    ]),
    office('POST', 'members/search', { sort: 'name' }),
    office('GET', 'program/file'),
  ];
}

/** Who is signed in and known to the shop, and one person who never joined it. */
async function peopleOf({ staffDb, people }: World, { id }: Shop): Promise<string[]> {
  const { rows } = await sql<{ userId: number }>`
    select user_id as "userId" from members where commerce_id = ${id} and user_id is not null`.execute(
    staffDb,
  );
  const known = new Set(rows.map(({ userId }) => userId));
  const signedIn = [...people.values()];
  const stranger = signedIn.find(({ userId }) => !known.has(userId));
  return signedIn
    .filter((person) => known.has(person.userId) || person === stranger)
    .map(({ email }) => email);
}

/** Every page of a history, forwards, and back from the last. */
async function askForHistory(ask: (wanted: Wanted) => Promise<unknown>, at: string, by: string) {
  const page = async (cursor: string | null) => {
    const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const answer = await ask({ at, by, method: 'GET', path: `/v1/me/activity${query}` });
    return answer as { next_cursor?: string | null; previous_cursor?: string | null };
  };
  let last = await page(null);
  let pages = 1;
  for (; last.next_cursor; pages++) last = await page(last.next_cursor);
  if (pages > 1) await page(last.previous_cursor!);
}
