import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { endClockMove, takeClockMove } from '#commerces/clock-moves.ts';
import { sql } from '#db/database.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { moveClocks } from '../../src/operations/jobs/move-clocks.ts';
import type { AuditPage, ExampleCalls, ShopClock, StaffDevice, StaffMember } from '../../../sdk/src/admin.ts';

const silent = { warn: () => {} };
const clockOf = async (owner: MadeStaff) => (await owner.get('clock')).body as ShopClock;

test('each of the 25 operations is a command that works, with the ids of this commerce', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const owner = await makeStaff(shop, 'owner');
  const member = await shop.member();
  await shop.sell(member, 500);
  const code = await shop.voucher(member, 'coffee');
  const { token } = await shop.browser(member);
  const { url } = await service();
  const examples = (await owner.get('example-calls')).body as ExampleCalls;
  assert.equal(examples.base_url, url);
  assert.equal(new Set(examples.results.map(({ operation_id }) => operation_id)).size, 25);
  const { paths } = (await call('GET', '/openapi.json')).body as { paths: Record<string, object> };
  assert.deepEqual(
    examples.results.map(({ method, path }) => `${method} ${path}`).toSorted(),
    Object.entries(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .toSorted(),
  );
  const all = examples.results.map(({ curl }) => curl).join('\n');
  for (const id of [shop.id, member.code, code, 'coffee']) assert.ok(all.includes(String(id)), String(id));
  assert.ok(!all.includes(member.email));

  const statuses: Record<string, number> = {};
  // Leaving the program comes last, and joining again before it.
  for (const { operation_id: id, curl } of examples.results.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  ))
    statuses[id] = await run(curl, { API_KEY: shop.key, ACCESS_TOKEN: token, REFRESH_TOKEN: 'none' });
  const { verifyOneTimeCode, refreshSession, getMyLevel, getClientByEmail, ...others } = statuses;
  // Nobody has asked for this code, this session never was, and the example's person is no member yet.
  assert.deepEqual([verifyOneTimeCode, refreshSession, getMyLevel, getClientByEmail], [400, 401, 404, 404]);
  assert.deepEqual(
    Object.entries(others).filter(([, status]) => status !== 200 && status !== 201),
    [],
  );
});

/** Lets a shell read the command, with a function in the place of curl that prints what it is called with. */
async function run(command: string, variables: Record<string, string>): Promise<number> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { PATH: process.env['PATH'], ...variables },
  });
  const words = stdout.split('\0').slice(0, -1);
  let [method, url, body]: [string | null, string, string | undefined] = [null, '', undefined];
  const headers: Record<string, string> = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '-X') method = words[++i]!;
    else if (word === '-d') body = words[++i]!;
    else if (word === '-H') {
      const [name, value] = words[++i]!.split(': ');
      headers[name!] = value!;
    } else url = word;
  }
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body }),
  });
  await answer.text();
  return answer.status;
}

test('a clock that was moved shows what fell due on the way, once', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 2 } });
  const owner = await makeStaff(shop, 'owner');
  const people = [await shop.member(), await shop.member(), await shop.member()];
  for (const person of people) await shop.sell(person, 10);
  const before = await clockOf(owner);
  const asked = await owner.post('clock/moves', { count: 3, unit: 'months' });
  assert.deepEqual([asked.status, (asked.body as ShopClock).is_moving], [202, true]);
  const meanwhile = await owner.post('clock/moves', { count: 1, unit: 'days' });
  assert.deepEqual([meanwhile.status, meanwhile.headers.get('x-error-code')], [409, 'clock_moving']);

  await Promise.all([moveClocks(db, silent), moveClocks(db, silent)]);
  const after = await clockOf(owner);
  assert.equal(after.is_moving, false);
  const [move] = after.moves;
  assert.partialDeepStrictEqual(move, {
    state: 'done',
    failures: 0,
    from: before.moves[0]?.to ?? move!.from,
  });
  assert.equal(move!.due.find(({ job }) => job === 'expire-points')?.count, 3);
  assert.ok(after.now >= move!.to && after.today > before.today);
  assert.equal(move!.by.kind, 'staff');
  const { body } = await owner.get('audit?action=clock.advance');
  assert.equal((body as AuditPage).results.length, 1);
});

test('a move whose process was killed is continued by another one and counts everything once', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const owner = await makeStaff(shop, 'owner');
  await shop.sell(await shop.member(), 10);
  await owner.post('clock/moves', { count: 40, unit: 'days' });
  const taken = await takeClockMove(db);
  assert.equal(taken?.commerceId, shop.id);
  assert.equal(await takeClockMove(db), null, 'a lease keeps other processes away');
  await sql`update clock_moves set leased_until = now() - interval '1 second' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await moveClocks(db, silent);
  // The first process comes back to life: its end changes nothing any more.
  await endClockMove(db, taken, false);
  const [move] = (await clockOf(owner)).moves;
  assert.partialDeepStrictEqual(move, { state: 'done' });
  assert.equal(move!.due.find(({ job }) => job === 'expire-points')?.count, 1);
});

test('the clock of a real commerce cannot be moved, and no clock leaves the calendar', async () => {
  const real = await makeStaff(await makeShop(), 'owner');
  const refused = await real.post('clock/moves', { count: 1, unit: 'days' });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'not_a_sandbox']);
  const owner = await makeStaff(await makeShop({ sandbox: true }), 'owner');
  assert.equal((await owner.post('clock/moves', { count: 9_999, unit: 'years' })).status, 409);
  assert.equal((await owner.post('clock/moves', { count: 0, unit: 'days' })).status, 422);
});

test('the audit is found by action, actor and day, and exported as the same lines', async () => {
  const { db } = await service();
  const shop = await makeShop({ time_zone: 'America/Argentina/Buenos_Aires' });
  const [owner, manager] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'manager')];
  const member = await shop.member();
  const { members } = (await manager.post('find', { text: member.email })).body as {
    members: { member_id: number }[];
  };
  const id = members[0]!.member_id;
  for (const reason of ['=1+1', 'sorry'])
    await manager.post(`members/${id}/adjustments`, { points: 5, reason }, { 'idempotency-key': reason });
  await owner.post('keys', { name: 'Shop' });
  const actors = (await owner.get('audit/actors')).body as { staff: { staff_id: number; email: string }[] };
  const managerId = actors.staff.find(({ email }) => email === manager.email)!.staff_id;
  const actions = async (query: string) => {
    const { body, status } = await owner.get(`audit?${query}`);
    assert.equal(status, 200, query);
    return (body as AuditPage).results.map(({ action }) => action);
  };
  assert.deepEqual(await actions('action=points.adjust'), ['points.adjust', 'points.adjust']);
  assert.deepEqual(await actions(`staff_id=${managerId}`), ['points.adjust', 'points.adjust']);
  assert.deepEqual(await actions(`staff_id=${managerId}&action=key.create`), []);
  assert.deepEqual(await actions('by=staff&action=key.create'), ['key.create']);
  assert.ok(
    (await actions('by=command_line')).every(
      (action) => action.startsWith('staff.') || action.startsWith('program.'),
    ),
  );

  // 02:30 UTC on the 2nd is still the 1st in Buenos Aires.
  await sql`
    insert into audit (commerce_id, at, action, actor, source)
    select ${shop.id}, at::timestamptz, 'test.day', 'command_line', 'test'
      from unnest(array['2026-03-02T02:30:00Z', '2026-03-02T03:00:00Z', '2026-03-01T02:59:59Z']) as u(at)`.execute(
    db,
  );
  const onDays = async (query: string) => {
    const { body } = await owner.get(`audit?action=test.day&${query}`);
    return (body as AuditPage).results.map(({ at }) => at);
  };
  assert.deepEqual(await onDays('from=2026-03-01&to=2026-03-01'), ['2026-03-02T02:30:00.000Z']);
  assert.deepEqual(await onDays('from=2026-03-02'), ['2026-03-02T03:00:00.000Z']);

  const file = await owner.post('audit/export', { action: 'points.adjust' });
  const lines = file.text.split('\r\n').filter((line) => line !== '');
  assert.equal(lines.length, 3);
  assert.match(lines[0]!, /^at,action,by,name,email,network,subject,before,after,reason$/);
  assert.ok(
    lines.slice(1).every((line) => line.includes(`points.adjust,staff,`) && line.includes(manager.email)),
  );
  assert.match(lines[2]!, /,'=1\+1$/, 'no text becomes a formula');
  assert.deepEqual(await actions('action=audit.export'), ['audit.export']);
  assert.equal((await manager.post('audit/export', {})).status, 403);
});

test('a list of the audit goes on behind its last line, also among rows of the same moment', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  await sql`
    insert into audit (commerce_id, at, action, actor, source, subject)
    select ${shop.id}, '2026-03-02T02:30:00Z', 'test.page', 'command_line', 'test', n::text
      from generate_series(1, 50) n`.execute(db);
  const seen: (string | null)[] = [];
  let cursor: string | null = null;
  do {
    const page: AuditPage = (
      await owner.get(`audit?action=test.page${cursor === null ? '' : `&cursor=${cursor}`}`)
    ).body as AuditPage;
    seen.push(...page.results.map(({ subject }) => subject));
    cursor = page.next_cursor;
    if (cursor !== null)
      assert.equal(
        (await owner.get(`audit?action=test.other&cursor=${cursor}`)).status,
        422,
        'of another list',
      );
  } while (cursor !== null);
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, i) => String(50 - i)),
  );
});

test('an owner sees on which devices a person is signed in, until they are signed out everywhere', async () => {
  const shop = await makeShop();
  const [owner, cashier] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'cashier')];
  const team = (await owner.get('staff')).body as StaffMember[];
  const [own, theirs] = [owner.email, cashier.email].map((email) => team.find((one) => one.email === email)!);
  assert.deepEqual([own!.devices, theirs!.devices], [1, 1]);
  const devices = async (id: number) => (await owner.get(`staff/${id}/devices`)).body as StaffDevice[];
  assert.deepEqual(
    (await devices(own!.staff_id)).map((one) => one.is_this),
    [true],
  );
  assert.deepEqual(
    (await devices(theirs!.staff_id)).map((one) => one.is_this),
    [false],
  );
  await owner.post(`staff/${theirs!.staff_id}/sign-out`);
  assert.deepEqual(await devices(theirs!.staff_id), []);
  const stranger = await makeStaff(await makeShop(), 'owner');
  assert.equal((await stranger.get(`staff/${theirs!.staff_id}/devices`)).status, 404);
});
