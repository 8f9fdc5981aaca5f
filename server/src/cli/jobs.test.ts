import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { loyalty } from '#test/command.ts';
import { breakMember } from '#test/break-member.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';

test('a job that fails at a shop is done at the others, exits with 1 and names the shop and the member', async () => {
  const [shop, other] = [await makeSandbox(), await makeSandbox()];
  const [broken, healthy] = [await customer(shop), await customer(other)];
  await breakMember(await testDatabase(), broken.memberId);

  const { code, stdout, stderr, json } = await loyalty(['jobs', 'run', 'expire-points']);
  const error = `member ${broken.memberId} is broken`;
  assert.equal(code, 1, stderr);
  assert.deepEqual(json(), {
    job: 'expire-points',
    members: 1,
    failures: [{ commerce: shop.slug, member_id: broken.memberId, error }],
  });
  assert.equal(
    stderr,
    `expire-points failed for ${shop.slug}, member ${broken.memberId}: ${error}\n`,
    stdout,
  );
  assert.equal(await expiriesOf(healthy), 1);
});

test('the clock of a sandbox is moved though a job fails for a member, and the command says so', async () => {
  const shop = await makeSandbox();
  const [broken, healthy] = [await customer(shop), await customer(shop)];
  await breakMember(await testDatabase(), broken.memberId);
  const { code, stderr, json } = await loyalty(['clock', 'advance', shop.slug, '13', 'months']);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^expire-points failed for ${shop.slug}, member ${broken.memberId}: `));
  const { jobs, failures } = json<{ jobs: Record<string, number>; failures: object[] }>();
  assert.deepEqual([jobs['expire-points'], failures.length], [1, 1]);
  assert.equal(await expiriesOf(healthy), 1);
});

function makeSandbox(): Promise<Shop> {
  return makeShop({
    sandbox: true,
    clock: '2027-01-10T10:00:00Z',
    points_expiration: { mode: 'rolling', months: 12 },
  });
}

/** A member whose points have expired. */
async function customer(shop: Shop): Promise<MadeMember> {
  const member = await shop.member();
  await shop.sell(member, 30);
  await sql`
    update commerces set clock_offset = clock_offset + '13 months' where id = ${shop.id}`.execute(
    await testDatabase(),
  );
  return member;
}

async function expiriesOf({ memberId }: MadeMember): Promise<number> {
  const { rows } = await sql`
    select 1 from movements where member_id = ${memberId} and type = 'expiry'`.execute(await testDatabase());
  return rows.length;
}
