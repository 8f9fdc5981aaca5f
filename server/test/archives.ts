import { createHash } from 'node:crypto';
import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { exportCommerce } from '#archive/export-commerce.ts';
import { importCommerce, type Imported, type ImportOptions } from '#archive/import-commerce.ts';
import { openArchive } from '#archive/read-archive.ts';
import { createArchiveWriter } from '#archive/write-archive.ts';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { createKey } from '#commerces/api-keys.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { storeStoppedKinds } from '#mail/mail-stops.ts';
import { suppressAddresses } from '#mail/suppressions.ts';
import { deferBenefits } from '#rewards/pending-benefits.ts';
import { noteWithheld } from '#rewards/withheld-rewards.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { noteFailure } from '../src/operations/jobs/failures.ts';
import { anotherDatabase } from './database.ts';
import { call, service } from './harness.ts';
import { benefit, makeShop, type MadeMember, type Shop, stampCard } from './make.ts';
import { randomPicture } from './pictures.ts';
import { makeStaff } from './staff.ts';

let elsewhere: Promise<Database> | undefined;

/** The database of another installation, which has its own commerces, people and ids. */
export function otherInstallation(): Promise<Database> {
  return (elsewhere ??= anotherDatabase());
}

/** A shop with a bit of everything that an archive has. */
export async function liveALittle() {
  const shop = await makeShop({
    levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 100, points_multiplier: 1, benefit: 'gift' }] },
    benefits: [
      benefit('mug'),
      benefit('gift', { benefit_type: 'level', cost: 0 }),
      benefit('stamped', { on_sale: false }),
    ],
    stamps: [stampCard('visits', 'stamped')],
    rewards: { welcome: { points: 50 } },
    codes: { undo_days: 10 },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  const body = { client_code: member.code, amount: 200, external_id: 'order 1' };
  const { external_id: _, ...plain } = body;
  const sale = await shop.post('/v1/consumptions/client-code', plain, { 'idempotency-key': 'sale-1' });
  await shop.post('/v1/consumptions/client-code', { ...body, amount: 30 });
  await shop.post('/v1/consumptions/email', { client_email: 'waits@example.com', amount: 40 });
  const code = await shop.voucher(member, 'mug');
  await redeemAndUndo(shop, code);
  await shop.voucher(member, 'mug');
  await stateAnOrder(shop, member);
  await workInTheBackOffice(shop, member);
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 7 });
  await runForAWhile(shop, member);
  const consumptionId = Number(sale.headers.get('x-consumption-id'));
  return { shop, member, browser, userEmail: member.email, consumptionId };
}

/** The use of a code that was undone, and the one after it. */
async function redeemAndUndo(shop: Shop, code: number): Promise<void> {
  const { db } = await service();
  const redeem = (externalId: string) =>
    shop.post('/v1/benefits/redeem', { client_benefit_code: code, external_id: externalId });
  assert.equal((await redeem('order 1')).status, 200);
  const { id: keyId } = await createKey(db, shop.id, 'returns', { scopes: ['undo'] });
  const undo = { commerceId: shop.id, externalId: 'order 1', code: null, keyId, network: '::1' };
  await transaction(db, (tx) => undoRedemption(tx, undo, null));
  assert.equal((await redeem('order 2')).status, 200);
}

/** An order with lines that has grown, and has used a code. */
async function stateAnOrder(shop: Shop, member: MadeMember): Promise<void> {
  const code = await shop.voucher(member, 'mug');
  for (const [version, paid] of [
    [1, 20],
    [2, 25],
  ] as const) {
    const { status, text } = await call('PUT', '/v1/orders/order-7', {
      headers: { authorization: `Bearer ${shop.key}` },
      body: {
        client_code: member.code,
        status: 'paid',
        paid,
        refunded: 0,
        codes: [code],
        version,
        lines: [{ id: '1', amount: paid, categories: ['cups'] }],
      },
    });
    assert.ok(status < 300, text);
  }
}

async function workInTheBackOffice(shop: Shop, { memberId }: MadeMember): Promise<void> {
  const { db } = await service();
  const owner = await makeStaff(shop, 'owner');
  const wireId = (await readInstallationIds(db, 'member')).toWire(memberId);
  const { program } = (await readCommerce(db, shop.id))!;
  const answers = [
    await owner.post(
      `members/${wireId}/adjustments`,
      { points: 5, reason: 'was rude to her' },
      { 'idempotency-key': 'adjusted' },
    ),
    await owner.post('program/publish', {
      program: {
        ...program,
        name: 'Another name',
        earning: { ...program.earning, pending: { days: 9, until: null, cancel_after_days: null } },
      },
      base_version: 1,
    }),
    await owner.post('pictures', { data: (await randomPicture()).toString('base64') }),
  ];
  for (const { status, text } of answers) assert.ok(status < 300, text);
}

/** Makes the rows that jobs and other installations leave behind in the course of time. */
async function runForAWhile({ id: commerceId }: Shop, { memberId, email }: MadeMember): Promise<void> {
  const { db } = await service();
  await suppressAddresses(db, [{ email, reason: 'bounce' }]);
  await transaction(db, async (tx) => {
    await deferBenefits(tx, [{ commerceId, memberId, tierId: 'gold' }]);
    await storeStoppedKinds(tx, { commerceId, memberId }, ['birthday']);
    const member = { commerceId, id: memberId };
    await noteWithheld(tx, [
      {
        member,
        event: 'birthday',
        period: '2026',
        givenAt: new Date(),
        benefitId: 'mug',
        reason: 'withdrawn',
      },
    ]);
  });
  await noteFailure(db, 'monthly-top', commerceId, new Error('broken'));
  await sql`
    insert into reminders (commerce_id, member_id, expires_on, days_before, told_at)
    values (${commerceId}, ${memberId}, '2027-01-01', 7, now())`.execute(db);
  await sql`
    insert into api_key_uses (commerce_id, key_id, last_used_at)
    select ${commerceId}, id, now() from api_keys where commerce_id = ${commerceId}
        on conflict do nothing`.execute(db);
  await sealLedger(db, commerceId);
}

export async function exportFrom(db: Database, commerceId: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await exportCommerce(db, commerceId, createArchiveWriter(collecting(chunks)));
  return Buffer.concat(chunks);
}

export function collecting(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
}

export async function importInto(
  db: Database,
  archive: Buffer,
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  const opened = await openArchive(Readable.from([archive]));
  const actorAt = (commerceId: number) => ({ kind: 'command_line', commerceId, user: 'test' }) as const;
  return importCommerce(db, opened, { actorAt, ...options });
}

/** Writes the end of a changed archive anew, as somebody would who knows the format. */
export function sealed(text: string): string {
  const lines = text.trimEnd().split('\n').slice(0, -1);
  const end: Record<string, number> = {};
  let table = '';
  for (const line of lines.slice(1)) {
    const { table: begun } = line.startsWith('{"table"') ? (JSON.parse(line) as { table: string }) : {};
    if (begun === undefined) end[table]! += 1;
    else end[(table = begun)] = 0;
  }
  const content = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(content).digest('hex');
  return `${content}${JSON.stringify({ end, sha256 })}\n`;
}
