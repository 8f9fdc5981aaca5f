/** An owner's work on the program: read it, check a draft, publish it, and look at the versions before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyProgram } from '#apply/apply-program.ts';
import { checkDraft } from '#apply/check-draft.ts';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql } from '#db/database.ts';
import type { Program } from '#program/program.ts';
import { checkProgram } from '#program/check-program.ts';
import type {
  AuditPage,
  ProgramCheck,
  ProgramFile,
  ProgramFileRead,
  ProgramInForce,
  ProgramVersion,
  ProgramVersions,
  PublishedProgram,
  TriedPurchase,
} from '../../../sdk/src/admin.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { commandLine, makeStaff, makeStaffKey, type BackOffice } from '#test/staff.ts';

async function readModel(owner: BackOffice): Promise<ProgramInForce> {
  return (await owner.get('program/model')).body as ProgramInForce;
}

async function publish(
  owner: BackOffice,
  { version, program }: { version: number; program: object },
  note?: string,
): Promise<Answer> {
  return owner.post('program/publish', {
    program,
    base_version: version,
    ...(note !== undefined && { note }),
  });
}

/** Returns a valid program of the shop with another name. */
async function renamed(shop: Shop, name: string): Promise<Program> {
  const { db } = await service();
  return { ...(await readCommerce(db, shop.id))!.program, name };
}

test('an owner reads the program, checks a change, publishes it, and goes back to the version before', async () => {
  const shop = await makeShop({
    benefits: [benefit('coffee')],
    levels: { ladder: [{ name: 'First', threshold: 100 }] },
  });
  const member = await shop.member();
  await shop.sell(member, 60);
  const owner = await makeStaff(shop, 'owner');
  const model = await readModel(owner);
  assert.deepEqual([model.version, model.by, model.program.slug], [1, null, shop.slug]);

  const tier = { ...model.program.levels.ladder[0]!, threshold: 50 };
  const cheaper = {
    ...model.program,
    earning: { ...model.program.earning, money_per_point: 2 },
    levels: { ...model.program.levels, ladder: [tier] },
  };
  const asked = await owner.post('program/check', { program: cheaper, base_version: 1 });
  const changes = ['earning.money_per_point: 1 → 2', 'levels.ladder.first.threshold: 100 → 50'];
  assert.deepEqual(asked.body, {
    problems: [],
    changes,
    changed_meanwhile: [],
    warnings: [],
    current_version: 1,
  });
  assert.equal((await readModel(owner)).version, 1);

  const published = await publish(owner, { version: 1, program: cheaper }, 'Points for the summer');
  assert.deepEqual(published.body, {
    version: 2,
    changes: [...changes, 'members who reach a higher tier: 1'],
    warnings: [],
  });
  const now = await readModel(owner);
  assert.deepEqual([now.version, now.program], [2, cheaper]);
  const name = owner.email.split('@')[0]!;
  assert.deepEqual(now.by, { kind: 'staff', name, email: owner.email });

  const first = (await owner.get('program/versions/1')).body as ProgramVersion;
  assert.deepEqual(first.program, model.program);
  assert.deepEqual(first.changes_from_now, [
    'earning.money_per_point: 2 → 1',
    'levels.ladder.first.threshold: 50 → 100',
  ]);
  assert.equal((await publish(owner, { version: 2, program: first.program })).status, 200);
  assert.deepEqual((await readModel(owner)).program, model.program);
  const { results } = (await owner.get('program/versions')).body as ProgramVersions;
  assert.deepEqual(
    results.map(({ version, note, changes: count, by }) => [version, note, count, by?.kind ?? null]),
    [
      [3, null, 2, 'staff'],
      [2, 'Points for the summer', 3, 'staff'],
      [1, null, first.changes.length, null],
    ],
  );
});

test('what the check of a file refuses is refused at the same place, by the check and by publishing', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const owner = await makeStaff(shop, 'owner');
  const { version, program } = await readModel(owner);
  const wrong = {
    ...program,
    locale: 'no language',
    colour: 'red',
    benefits: [{ ...program.benefits[0]!, cost: -1 }],
  };
  const { body } = await owner.post('program/check', { program: wrong, base_version: version });
  const { problems, changes } = body as ProgramCheck;
  assert.deepEqual(changes, []);
  assert.deepEqual(problems.map(({ path }) => path).toSorted(), ['benefits[0].cost', 'colour', 'locale']);
  const refused = await publish(owner, { version, program: wrong });
  assert.equal(refused.status, 422);
  const { detail } = refused.body as { detail: { loc: (string | number)[]; msg: string }[] };
  assert.deepEqual(
    detail.map(({ loc, msg }) => `${loc.slice(2).join('.')}: ${msg}`).toSorted(),
    problems.map(({ path, message }) => `${path.replace('[0]', '.0')}: ${message}`).toSorted(),
  );
  assert.deepEqual(detail[0]!.loc.slice(0, 2), ['body', 'program']);
  assert.equal((await readModel(owner)).version, 1);
});

test('the slug and the sandbox cannot be changed, and neither can a limit below what is sold', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1, buy_limit: 5 })] });
  const member = await shop.member();
  await shop.sell(member, 10);
  for (let i = 0; i < 2; i++) await shop.voucher(member, 'coffee');
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const pathsOf = async (fields: object) => {
    const draft = { ...program, ...fields };
    const { body } = await owner.post('program/check', { program: draft, base_version: 1 });
    const refused = await publish(owner, { version: 1, program: draft });
    assert.equal(refused.status, 422);
    return (body as ProgramCheck).problems.map(({ path }) => path);
  };
  assert.deepEqual(await pathsOf({ slug: 'another' }), ['slug']);
  assert.deepEqual(await pathsOf({ sandbox: true }), ['sandbox']);
  assert.deepEqual(await pathsOf({ benefits: [{ ...program.benefits[0]!, buy_limit: 1 }] }), [
    'benefits[0].buy_limit',
  ]);
});

test('of owners who publish at once one wins, and the others are told whose version is in force', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owners = await Promise.all(Array.from({ length: 8 }, () => makeStaff(shop, 'owner')));
  const { program } = await readModel(owners[0]!);
  const answers = await Promise.all(
    owners.map((owner, i) => publish(owner, { version: 1, program: { ...program, name: `Name ${i}` } })),
  );
  const winner = answers.findIndex(({ status }) => status === 200);
  const losers = answers.filter((_, i) => i !== winner);
  for (const { status, headers, body } of losers) {
    // On a busy machine a call may wait for its turn for longer than it may.
    if (status === 503) continue;
    assert.equal(status, 409);
    assert.equal(headers.get('x-error-code'), 'program_changed');
    const name = owners[winner]!.email.split('@')[0]!;
    assert.match((body as { message: string }).message, new RegExp(`^${name} published version 2 meanwhile`));
  }
  const now = await readModel(owners[0]!);
  assert.deepEqual([now.version, now.program.name], [2, `Name ${winner}`]);
  const { rows } = await sql`
    select action from audit where commerce_id = ${shop.id} and action like 'program.%'`.execute(db);
  assert.equal(rows.length, 1);
});

test('owners, a script and the command line who merge and publish again lose nothing', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const callers = [
    await makeStaff(shop, 'owner'),
    await makeStaff(shop, 'owner'),
    await makeStaffKey(shop, 'owner'),
    await makeStaff(shop, 'owner'),
  ];
  const addAndPublish = async (caller: BackOffice, id: string): Promise<void> => {
    const { version, program } = await readModel(caller);
    const added = { ...program, benefits: [...program.benefits, benefit(id)] };
    const { status } = await publish(caller, { version, program: added });
    if (status !== 200) {
      assert.ok(status === 409 || status === 503, String(status));
      await addAndPublish(caller, id);
    }
  };
  await Promise.all([
    ...callers.flatMap((caller, i) => [addAndPublish(caller, `a${i}`), addAndPublish(caller, `b${i}`)]),
    // The command line knows no base: it puts what it is given.
    applyProgram(db, await renamed(shop, 'By the command line'), { actorAt: commandLine }),
  ]);
  const { version, program } = await readModel(callers[0]!);
  const { results } = (await callers[0]!.get('program/versions')).body as ProgramVersions;
  const ofCommandLine = results.find(({ by }) => by?.kind === 'command_line')!.version;
  // Benefits of before the command's turn are withdrawn by it, as the list of its changes says.
  const { changes } = (await callers[0]!.get(`program/versions/${ofCommandLine}`)).body as ProgramVersion;
  const withdrawn = changes.filter((line) => line.endsWith(': withdrawn')).length;
  assert.equal(program.benefits.length + withdrawn, 8);
  assert.equal(version, 10);
});

test('publishing what is in force already changes nothing, whatever it began from', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const added = {
    id: null,
    name: 'Top',
    threshold: 500,
    points_multiplier: 1,
    icon_url: null,
    benefit: null,
  };
  const draft = { ...program, levels: { ...program.levels, ladder: [added] } };
  const [first, again] = [
    await publish(owner, { version: 1, program: draft }),
    await publish(owner, { version: 1, program: draft }),
  ];
  assert.equal((first.body as PublishedProgram).changes.length, 1);
  assert.deepEqual(again.body, { version: 2, changes: [], warnings: [] });
  const { results } = (await owner.get('audit')).body as AuditPage;
  assert.equal(results.filter(({ action }) => action === 'program.apply').length, 1);
});

test('a draft that began from an older version sees apart what it changes and what others changed', async () => {
  const shop = await makeShop();
  const [clara, rui] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const { program } = await readModel(clara);
  await publish(rui, { version: 1, program: { ...program, name: 'By Rui' } });
  const draft = { ...program, tagline: 'By Clara' };
  const { body } = await clara.post('program/check', { program: draft, base_version: 1 });
  assert.partialDeepStrictEqual(body, {
    problems: [],
    changes: ['tagline: none → By Clara'],
    changed_meanwhile: [`name: ${program.name} → By Rui`],
    current_version: 2,
  });
  for (const path of ['program/check', 'program/publish']) {
    const refused = await clara.post(path, { program: draft, base_version: 3 });
    assert.partialDeepStrictEqual(refused.body, { detail: [{ loc: ['body', 'base_version'] }] });
  }
});

test('a check waits for no lock, opens no transaction and looks at no member', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { buy_limit: 5 })] });
  await shop.sell(await shop.member(), 10);
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const draft = { program: { ...program, currency: 'USD', time_zone: 'UTC' }, base_version: 1 };
  const client = await db.pool.connect();
  try {
    // Holds the lock that a publication holds until its commit.
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [shop.slug]);
    await client.query('select from commerces where id = $1 for update', [shop.id]);
    await client.query('select from members where commerce_id = $1 for update', [shop.id]);
    const answer = await owner.post('program/check', draft);
    assert.equal((answer.body as ProgramCheck).warnings.length, 2);
    assert.equal((await readModel(owner)).version, 1);
  } finally {
    await client.query('rollback');
    client.release();
  }
  const counting = await countingDatabase();
  const { texts } = await counting.count(() =>
    checkDraft(counting.db, shop.id, { checked: checkProgram(draft.program), baseVersion: 1 }),
  );
  assert.equal(texts.length, 4);
  for (const text of texts) assert.doesNotMatch(text, /\b(members|balances|lots|begin|for (update|share))\b/);
});

test('who is removed while publishing has published nothing', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [clara, rui] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const { program } = await readModel(rui);
  const ids = await readInstallationIds(db, 'staff');
  const [answer, removed] = await Promise.all([
    publish(rui, { version: 1, program: { ...program, name: 'By Rui' } }),
    clara.delete(`staff/${ids.toWire(rui.staffId)}`),
  ]);
  assert.equal(removed.status, 200);
  const { version, by } = await readModel(clara);
  if (answer.status === 200) assert.deepEqual([version, by?.kind], [2, 'staff']);
  else assert.deepEqual([[401, 403, 404, 503].includes(answer.status), version], [true, 1]);
});

test('purchases that race a publication count under the rules of the version that they name', async () => {
  const { db } = await service();
  const shop = await makeShop({ levels: { ladder: [{ name: 'Top', threshold: 40, points_multiplier: 2 }] } });
  const owner = await makeStaff(shop, 'owner');
  const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
  const { program } = await readModel(owner);
  const [tier] = program.levels.ladder;
  const next = {
    ...program,
    earning: { ...program.earning, money_per_point: 2 },
    levels: { ...program.levels, ladder: [{ ...tier!, threshold: 20 }] },
  };
  const buy = ({ code }: MadeMember) =>
    shop.post('/v1/consumptions/client-code', { client_code: code, amount: 10 });
  const buying = members.flatMap((member) => Array.from({ length: 6 }, () => buy(member)));
  const [published, ...bought] = await Promise.all([
    publish(owner, { version: 1, program: next }),
    ...buying,
  ]);
  assert.equal(published.status, 200);
  const recorded = bought.filter(({ status }) => status === 201).length;
  // A busy machine may let a purchase wait for longer than it may.
  for (const { status } of bought) assert.ok(status === 201 || status === 503, String(status));
  // Points and tiers of every purchase are judged again at the end of the process, by the version in its row.
  const { rows } = await sql<{ rule: number; purchases: number }>`
    select (snapshot ->> 'rule')::integer as rule, count(*) as purchases
      from movements where commerce_id = ${shop.id} and type = 'purchase' group by 1`.execute(db);
  assert.equal(
    rows.reduce((sum, { purchases }) => sum + purchases, 0),
    recorded,
  );
  for (const { rule } of rows) assert.ok(rule === 1 || rule === 2, String(rule));
});

test('each version says who published it, and the audit says what was published', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const key = await makeStaffKey(shop, 'owner');
  await publish(owner, { version: 1, program: await renamed(shop, 'Two') }, 'A new name');
  await publish(key, { version: 2, program: await renamed(shop, 'Three') });
  await applyProgram(db, await renamed(shop, 'Four'), { actorAt: commandLine });
  await applyProgram(db, await renamed(shop, 'Five'));
  // The release before stores this.
  await sql`update programs set changes = null where commerce_id = ${shop.id} and version = 4`.execute(db);
  const { results } = (await owner.get('program/versions')).body as ProgramVersions;
  const name = owner.email.split('@')[0]!;
  assert.deepEqual(
    results.slice(0, 4).map(({ version, by, note, changes }) => [version, by, note, changes]),
    [
      [5, null, null, 1],
      [4, { kind: 'command_line' }, null, 1],
      [3, { kind: 'key', name: 'owner script' }, null, 1],
      [2, { kind: 'staff', name, email: owner.email }, 'A new name', 1],
    ],
  );
  const older = (await owner.get('program/versions/4')).body as ProgramVersion;
  assert.deepEqual(older.changes, ['name: Three → Four']);

  const audit = (await owner.get('audit')).body as AuditPage;
  const applied = audit.results.filter(({ action }) => action === 'program.apply');
  assert.deepEqual(
    applied.map(({ by, after, reason }) => [by.kind, after, reason]),
    [
      ['command_line', { version: 4, changes: ['name: Three → Four'] }, null],
      ['key', { version: 3, changes: ['name: Two → Three'] }, null],
      ['staff', { version: 2, changes: [`name: Shop ${shop.slug} → Two`] }, 'A new name'],
    ],
  );
});

test('the versions come in pages, and one that never was is a 404', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  for (let i = 2; i <= 43; i++) await shop.apply({ name: `Name ${i}` });
  const seen: number[] = [];
  let cursor = '';
  do {
    const { body } = await owner.get(`program/versions?cursor=${cursor}`);
    const page = body as ProgramVersions;
    seen.push(...page.results.map(({ version }) => version));
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  assert.deepEqual(
    seen,
    Array.from({ length: 43 }, (_, i) => 43 - i),
  );
  assert.equal((await owner.get('program/versions/44')).status, 404);
  assert.equal((await owner.get('program/versions/0')).status, 404);
  assert.equal((await owner.get('program/versions/99999999999')).status, 404);
  assert.equal((await owner.get('program/versions?cursor=1.x')).status, 422);
});

test('the program is a file both ways, and each problem of a file has its line', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const { text } = (await owner.get('program/file')).body as ProgramFile;
  const read = (await owner.post('program/file/read', { text })).body as ProgramFileRead;
  assert.deepEqual(read, { program, problems: [] });
  const draft = (await owner.post('program/file/write', { program: { ...program, name: 'Other' } }))
    .body as ProgramFile;
  assert.equal(draft.text, text.replace(/^name: .*$/m, 'name: Other'));
  const wrong = text.replace('cost: 10', 'cost: ten');
  const { program: none, problems } = (await owner.post('program/file/read', { text: wrong }))
    .body as ProgramFileRead;
  assert.equal(none, null);
  const line = wrong.split('\n').findIndex((one) => one.includes('cost: ten')) + 1;
  assert.deepEqual(
    problems.map((problem) => [problem.line, problem.path]),
    [[line, 'benefits[0].cost']],
  );
  const large = await owner.post('program/file/read', { text: 'x'.repeat(1024 * 1024) });
  assert.deepEqual([large.status, large.headers.get('x-error-code')], [413, 'body_too_large']);
});

test('a file that takes long to read keeps no other call waiting', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const reading = owner.post('program/file/read', { text: '"a" '.repeat(150_000) });
  const ended = reading.then(() => null);
  let others = 0;
  for (;;) {
    const other = await Promise.race([ended, shop.get('/v1/benefits/list')]);
    if (other === null) break;
    assert.equal(other.status, 200);
    others += 1;
  }
  const { status, body } = await reading;
  assert.deepEqual([status, (body as ProgramFileRead).program], [200, null]);
  assert.ok((body as ProgramFileRead).problems.length > 0);
  // On the thread of the calls it would have been one, or two.
  assert.ok(others >= 4, String(others));
});

test('files of other shops that take long to read keep no till waiting', async () => {
  const shop = await makeShop();
  const eva = await shop.member('eva');
  const others = await Promise.all([1, 2].map(async () => makeStaff(await makeShop(), 'owner')));
  const reading = others.map((owner) => owner.post('program/file/read', { text: "'a' ".repeat(240_000) }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const held = await shop.get(`/v1/clients/${eva.code}/benefits`);
  assert.equal(held.status, 200, held.text);
  for (const { status } of await Promise.all(reading)) assert.equal(status, 200);
});

test('of two files of one shop, one is read after the other', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  const texts = ['a: 1', 'b: 1'];
  // On a busy machine the process that reads them may start so slowly that one is told to try again.
  const read = async (text: string): Promise<Answer> => {
    const answer = await owner.post('program/file/read', { text });
    return answer.status === 503 ? read(text) : answer;
  };
  const answers = await Promise.all(texts.map(read));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
});

test('a program with thousands of mistakes is refused with the first of them', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
  const { body } = await owner.post('program/check', {
    program: { ...program, ...unknown },
    base_version: 1,
  });
  assert.equal((body as ProgramCheck).problems.length, 100);
});

test('a purchase can be tried under a program that is not in force, by the rule that would record it', async () => {
  const shop = await makeShop({
    levels: {
      ladder: [
        { id: 'silver', name: 'Silver', threshold: 100, points_multiplier: 1.5 },
        { id: 'gold', name: 'Gold', threshold: 500, points_multiplier: 2 },
      ],
    },
  });
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const cheaper = { ...program, earning: { ...program.earning, money_per_point: 2 } };
  const tried = await owner.post('program/try', { program: cheaper, amount: 17 });
  assert.equal((tried.body as TriedPurchase).expires_on, null);
  assert.deepEqual(
    (tried.body as TriedPurchase).levels.map(({ name, points }) => [name, points]),
    [
      [null, 8],
      ['Silver', 12],
      ['Gold', 16],
    ],
  );

  const published = await publish(owner, { version: 1, program: cheaper });
  assert.equal(published.status, 200);
  const member = await shop.member();
  const recorded = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 17 });
  assert.equal(recorded.headers.get('x-points-earned'), '8');

  const wrong = { ...program, earning: { ...program.earning, money_per_point: 'two' } };
  assert.equal((await owner.post('program/try', { program: wrong, amount: 17 })).status, 422);
});

test('a purchase is tried at an instant, for a week from then on, by its lines and its place, and for one member', async () => {
  const shop = await makeShop({
    time_zone: 'Europe/Madrid',
    earning: {
      money_per_point: 1,
      rules: [
        {
          id: 'coffee',
          title: 'Coffee',
          when: {
            categories: ['coffee'],
            branches: [3],
            weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
            hours: { from: '07:00', to: '10:00' },
          },
          give: { multiply: 2 },
        },
        { id: 'once', title: 'Once', give: { points: 5 }, limit: { times: 1, per: 'day' } },
      ],
    },
    levels: { ladder: [{ id: 'silver', name: 'Silver', threshold: 100, points_multiplier: 3 }] },
  });
  const owner = await makeStaff(shop, 'owner');
  const { program } = await readModel(owner);
  const lines = [
    { id: '1', amount: 7, categories: ['coffee'] },
    { id: '2', amount: 3, categories: ['cake'] },
  ];
  // Wednesday, the 24th of March 2027, at nine. The clocks go forward in the night to Sunday.
  const purchase = { program, amount: 10, lines, branch_id: 3, at: '2027-03-24T08:00:00Z' };
  const tried = (await owner.post('program/try', purchase)).body as TriedPurchase;
  assert.deepEqual(
    tried.levels.map(({ name, points }) => [name, points]),
    [
      [null, 17 + 5],
      ['Silver', 3 * 17 + 5],
    ],
  );
  assert.deepEqual(
    tried.days.map(({ at, points }) => [at, points[0]]),
    [
      ['2027-03-24T08:00:00.000Z', 22],
      ['2027-03-25T08:00:00.000Z', 22],
      ['2027-03-26T08:00:00.000Z', 22],
      ['2027-03-27T08:00:00.000Z', 15],
      ['2027-03-28T07:00:00.000Z', 15],
      ['2027-03-29T07:00:00.000Z', 22],
      ['2027-03-30T07:00:00.000Z', 22],
    ],
  );
  const elsewhere = (await owner.post('program/try', { ...purchase, branch_id: 4 })).body as TriedPurchase;
  assert.equal(elsewhere.levels[0]!.points, 15);

  // A member who had the five points today gets them again tomorrow.
  const nora = await shop.member();
  await shop.sell(nora, 120);
  const now = (await owner.post('program/try', { program, amount: 10, client_code: nora.code }))
    .body as TriedPurchase;
  assert.deepEqual(
    now.levels.map(({ name, points }) => [name, points]),
    [['Silver', 30]],
  );
  assert.deepEqual(
    now.days.map(({ points }) => points),
    [[30], [35], [35], [35], [35], [35], [35]],
  );
  const recorded = await shop.post('/v1/consumptions/client-code', { client_code: nora.code, amount: 10 });
  assert.equal(recorded.headers.get('x-points-earned'), '30');

  assert.equal((await owner.post('program/try', { ...purchase, amount: 11 })).status, 400);
  assert.equal((await owner.post('program/try', { ...purchase, client_code: 100_000_000 })).status, 404);
  await shop.block(nora);
  assert.equal((await owner.post('program/try', { ...purchase, client_code: nora.code })).status, 403);
});
