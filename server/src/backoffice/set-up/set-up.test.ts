import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { integer, sample, SEED } from '#test/random.ts';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, mailedCodes, someone, wrongCode } from '#test/sign-in.ts';
import { askForSetUpCode, fromPage, mailedSetUpCodes, proveAddress, settingUp } from '#test/set-up.ts';
import { backOffice, makeStaff } from '#test/staff.ts';
import { deleteOldSetUps } from './delete-old-set-ups.ts';
import { makeSetUpLink } from './set-up-link.ts';

interface State {
  readonly answers: Record<string, unknown>;
  readonly slug: string | null;
  readonly portal_url: string | null;
  readonly examples: { amount: number; points: number }[];
  readonly benefits: { kind: string; title: string; cost: number }[];
}
const stateOf = ({ body }: Answer) => body as State;
const codeOf = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];
const locOf = ({ body }: Answer) => (body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc[1]);

before(async () => {
  await makeShop();
});

test('what was answered is kept, and is there when the person comes back', async () => {
  const { url } = await service();
  const person = await settingUp();
  assert.deepEqual(
    ['currency', 'time_zone', 'locale', 'name', 'step'].map((key) => stateOf(person.proved).answers[key]),
    ['EUR', 'Europe/Madrid', 'es-ES', null, null],
  );
  assert.match(
    person.proved.headers.getSetCookie()[0]!,
    /^set-up=[\w-]{43}; Path=\/; Max-Age=691200; HttpOnly; SameSite=Strict$/,
  );
  await person.save({ name: 'Panadería Ñandú', step: 'place' });
  await person.save({ money_per_point: 100, benefit: 'product', step: 'open' });
  const { slug, portal_url, answers, benefits } = stateOf(await person.get());
  assert.deepEqual([slug, portal_url], ['panaderia-nandu', `${url}/club/panaderia-nandu`]);
  assert.deepEqual([answers['name'], answers['step']], ['Panadería Ñandú', 'open']);
  assert.deepEqual(benefits[0], {
    kind: 'product',
    title: 'Un café de regalo',
    cost: 50,
    value: null,
    spend: 5_000,
  });
});

test('a preview stores nothing, and answers that no program takes are named', async () => {
  const person = await settingUp({ name: 'Corner' });
  assert.equal(stateOf(await person.preview({ name: 'Other' })).slug, 'other');
  assert.equal(stateOf(await person.get()).slug, 'corner');
  const wrong = {
    name: 'two\nlines',
    slug: 'A B',
    color: 'red',
    currency: 'euro',
    time_zone: 'Mars',
    locale: 'not a language',
    money_per_point: 0.0001,
    title: '',
    cost: 0,
  };
  for (const refused of [await person.save(wrong), await person.preview(wrong)]) {
    assert.equal(refused.status, 422);
    assert.deepEqual(locOf(refused), Object.keys(wrong));
  }
  const nameless = await (await settingUp()).open();
  assert.deepEqual([nameless.status, locOf(nameless)], [422, ['slug', 'name']]);
});

test('an answer that is taken back leaves the way open, and opening the shop names it', async () => {
  for (const taken of ['currency', 'time_zone', 'money_per_point']) {
    const person = await settingUp({ name: 'Corner', benefit: 'product' });
    assert.equal((await person.save({ [taken]: null })).status, 200, taken);
    assert.equal(stateOf(await person.get()).answers[taken], null);
    assert.deepEqual(stateOf(await person.preview({ title: 'A tea' })).examples, []);
    const opened = await person.open();
    assert.equal(opened.status, 422, opened.text);
    assert.deepEqual(locOf(opened), [taken]);
  }
});

test('the sentence about a purchase is what the purchase then earns', async () => {
  const { url } = await service();
  for (const thousandths of sample(integer({ min: 1, max: 5_000_000 }), { numRuns: 4, seed: SEED })) {
    const person = await settingUp({
      name: 'Corner',
      money_per_point: thousandths / 1000,
      benefit: 'amount',
    });
    const { examples } = stateOf(await person.get());
    const opened = await person.open();
    assert.equal(opened.status, 201, `${opened.text} seed ${SEED}`);
    const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
    const { id } = (opened.body as { commerces: { id: number }[] }).commerces[0]!;
    const owner = backOffice({ cookie, origin: url, 'x-commerce-id': String(id) });
    for (const { amount, points } of examples) {
      const bought = await owner.post(
        'purchases',
        { client_email: someone(), amount },
        { 'idempotency-key': someone() },
      );
      assert.equal(
        (bought.body as { points: number }).points,
        points,
        `${amount} at ${thousandths}, seed ${SEED}`,
      );
    }
    const { benefits } = stateOf(await person.get());
    const catalog = await call('GET', '/v1/public/benefits', { headers: { 'x-commerce-id': String(id) } });
    assert.deepEqual(
      (catalog.body as { cost: number }[]).map(({ cost }) => cost),
      benefits.filter(({ kind }) => kind === 'amount').map(({ cost }) => cost),
    );
  }
});

test('two presses of one button make one shop, and the second answer signs in to it too', async () => {
  const person = await settingUp({ name: 'Twice' });
  const answers = await Promise.all([person.open(), person.open(), person.open()]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  const shops = answers.map(({ body }) => (body as { commerces: { id: number }[] }).commerces);
  assert.deepEqual(
    shops.map((commerces) => commerces.length),
    [1, 1, 1],
  );
  assert.equal(new Set(shops.map(([one]) => one!.id)).size, 1);
});

test('a name in links belongs to one shop, even if two people take it at the same moment', async () => {
  const slug = `bar-${someone().slice(0, 8).replaceAll(/\W/g, '')}`;
  const first = await settingUp({ name: 'First', slug });
  const second = await settingUp({ name: 'Second', slug });
  const answers = await Promise.all([first.open(), second.open()]);
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 1);
  assert.deepEqual([refused[0]!.status, locOf(refused[0]!)], [422, ['slug']]);
  const third = await settingUp({ name: slug });
  assert.equal(stateOf(await third.get()).slug, `${slug}-2`);
  assert.deepEqual(locOf(await third.save({ slug })), ['slug']);
  assert.deepEqual(locOf(await third.save({ slug: 'set-up' })), ['slug']);
});

test('a link belongs to the first address that is proved with it, however many try at once', async () => {
  const { db } = await service();
  const token = await makeSetUpLink(db);
  const people = Array.from({ length: 5 }, () => someone('owner'));
  for (const email of people) assert.equal((await askForSetUpCode(token, email)).status, 200);
  const answers = await Promise.all(people.map((email) => proveAddress(token, email)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409, 409, 409],
  );
  for (const answer of answers)
    if (answer.status === 409) assert.equal(answer.headers.get('x-error-code'), 'set_up_link_taken');
  const thief = people[answers.findIndex(({ status }) => status === 409)]!;
  assert.deepEqual(codeOf(await askForSetUpCode(token, thief)), [409, 'set_up_link_taken']);
});

test('with another browser the same person goes on, and the first browser has to ask again', async () => {
  const before = await settingUp({ name: 'Corner' });
  await age(before.email, '2 minutes');
  const after = await settingUp({}, { link: before.link, email: before.email });
  assert.equal(stateOf(await after.get()).answers['name'], 'Corner');
  for (const answer of [await before.get(), await before.save({ name: 'Other' }), await before.open()])
    assert.deepEqual(codeOf(answer), [401, 'missing_credential']);
  assert.equal((await after.open()).status, 201);
});

test('with a new link a person goes on where the old one was left', async () => {
  const before = await settingUp({ name: 'Left behind', step: 'points' });
  await age(before.email, '2 minutes');
  const after = await settingUp({}, { email: before.email });
  assert.deepEqual(
    [stateOf(after.proved).answers['name'], stateOf(after.proved).answers['step']],
    ['Left behind', 'points'],
  );
});

test('a link that is too old, used up, mistyped or made up is refused in the same words', async () => {
  const { db } = await service();
  const old = await makeSetUpLink(db);
  await sql`update set_ups set expires_at = now() where email is null`.execute(db);
  const used = await settingUp({ name: 'Used' });
  assert.equal((await used.open()).status, 201);
  const email = someone();
  const texts = new Set<string>();
  for (const token of [old, used.link, `${used.link}x`, '', 'A'.repeat(43), '\u0000']) {
    const answers = [await fromPage('POST', '/link', { token }), await askForSetUpCode(token, email)];
    for (const answer of answers) {
      if (answer.status === 422) continue;
      assert.deepEqual(codeOf(answer), [404, 'set_up_link_refused']);
      texts.add(answer.text);
    }
  }
  assert.equal(texts.size, 1);
  assert.deepEqual(await mailedSetUpCodes(email), [], 'without a valid link, nobody gets a mail');
});

test('a set-up ends a week after the address was proved, and its row thirty days later', async () => {
  const { db } = await service();
  const person = await settingUp({ name: 'Late' });
  await sql`update set_ups set expires_at = now() where email = ${person.email}`.execute(db);
  for (const answer of [await person.get(), await person.open()])
    assert.deepEqual(codeOf(answer), [404, 'set_up_link_refused']);
  await deleteOldSetUps(db);
  const left = () => sql`select from set_ups where email = ${person.email}`.execute(db);
  assert.equal((await left()).rows.length, 1);
  await sql`update set_ups set expires_at = now() - interval '31 days' where email = ${person.email}`.execute(
    db,
  );
  await deleteOldSetUps(db);
  assert.equal((await left()).rows.length, 0);
});

test('a wrong code opens nothing, five of them burn it, and a code of one purpose is none of another', async () => {
  const { db, url } = await service();
  const token = await makeSetUpLink(db);
  const staff = await makeStaff(await makeShop(), 'owner');
  const { email } = staff;
  await askForSetUpCode(token, email);
  const [right] = await mailedSetUpCodes(email);
  const headers = { origin: url };
  const asStaff = await call('POST', '/admin/v1/auth/otp/verify', { headers, body: { email, otp: right } });
  assert.equal(asStaff.status, 400);
  await call('POST', '/admin/v1/auth/otp/request', { headers, body: { email } });
  const { rows } = await sql<{ commerceId: number }>`
    select commerce_id as "commerceId" from staff where person_id = ${staff.personId}`.execute(db);
  const [ofStaff] = await mailedCodes(rows[0]!.commerceId, email);
  const claim = (otp: string) => fromPage('POST', '/claim', { token, email, otp });
  for (const otp of [ofStaff === right ? wrongCode(right) : ofStaff!, ...Array(4).fill(wrongCode(right))])
    assert.deepEqual(codeOf(await claim(otp)), [400, 'code_refused']);
  assert.deepEqual(codeOf(await claim(right!)), [400, 'code_refused']);
});

test('an old proof is no fresh code, and after five minutes the way in is the sign-in', async () => {
  const { db, url } = await service();
  const person = await settingUp({ name: 'Slow' });
  await sql`update set_ups set proved_at = now() - interval '20 minutes' where email = ${person.email}`.execute(
    db,
  );
  const opened = await person.open();
  assert.equal((opened.body as { fresh_until: string | null }).fresh_until, null);
  const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
  const { id } = (opened.body as { commerces: { id: number }[] }).commerces[0]!;
  const owner = backOffice({ cookie, origin: url, 'x-commerce-id': String(id) });
  const invited = await owner.post('staff', { email: someone(), role: 'cashier' });
  assert.deepEqual(codeOf(invited), [403, 'fresh_code_needed']);
  await sql`update set_ups set finished_at = now() - interval '6 minutes' where email = ${person.email}`.execute(
    db,
  );
  assert.deepEqual(codeOf(await person.open()), [401, 'missing_credential']);
});

test('a set-up that was left for a day does not sign a person in to the shops where they work already', async () => {
  const { db, url } = await service();
  const elsewhere = await makeShop();
  const { email } = await makeStaff(elsewhere, 'owner');
  const person = await settingUp({ name: 'Second' }, { email });
  await sql`update set_ups set proved_at = now() - interval '13 hours' where email = ${email}`.execute(db);
  for (const answer of [await person.open(), await person.get(), await person.save({ name: 'Third' })])
    assert.deepEqual(codeOf(answer), [401, 'missing_credential']);

  // After another code from the same link, it goes on where it was.
  await age(email, '2 minutes');
  const again = await settingUp({}, { link: person.link, email });
  assert.equal(stateOf(await again.get()).answers['name'], 'Second');
  const opened = await again.open();
  assert.equal(opened.status, 201, opened.text);
  const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
  const owner = backOffice({ cookie, origin: url, 'x-commerce-id': String(elsewhere.id) });
  assert.equal((await owner.get('program/model')).status, 200);
});

test('a page of another origin can neither claim a link, nor change or open anything', async () => {
  const { db } = await service();
  const person = await settingUp({ name: 'Guarded' });
  const token = await makeSetUpLink(db);
  const email = someone();
  const writes = [
    ['POST', '/link', { token }],
    ['POST', '/code', { token, email }],
    ['POST', '/claim', { token, email, otp: '000000' }],
    ['PATCH', '', { name: 'Stolen' }],
    ['POST', '/preview', { name: 'Stolen' }],
    ['POST', '/shop', {}],
  ] as const;
  for (const [method, path, body] of writes) {
    for (const headers of [{ origin: 'https://evil.example' }, {}]) {
      const answer = await call(method, `/admin/v1/set-up${path}`, {
        headers: { ...headers, cookie: person.cookie },
        body,
      });
      assert.deepEqual(codeOf(answer), [403, 'wrong_origin'], path);
    }
  }
  assert.equal(stateOf(await person.get()).answers['name'], 'Guarded');
});
