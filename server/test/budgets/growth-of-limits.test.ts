/** A limit for ever counts the uses of its rule, not the purchases of the member. Counted in rows and pages, not in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { expectTampering, testDatabaseUrl } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { withExplainedDatabase, type Plan } from '#test/explain-statements.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { loadMembers } from '../../../bench/load-members.ts';
import { onOneServer } from '#test/on-cluster.ts';

const { db } = await service();

const PURCHASES = 5_000;

/** Records a purchase, and returns what reading the earlier ones cost. */
async function costOfPurchase(shop: Shop, { code }: MadeMember): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  await withExplainedDatabase(
    await testDatabaseUrl(),
    (plan) => void plans.push(plan),
    async (watched) => {
      const purchase = { commerceId: shop.id, buyer: { code }, ...NOWHERE, amount: 5 };
      await transaction(watched, (tx) => recordPurchases(tx, [purchase]));
    },
  );
  return plans.filter(({ statement }) => /^read-(past-purchases|uses-of-rules)$/.test(statement));
}

/** Adds copies of a member's last purchase, a minute apart, long ago. */
async function growPurchases(shop: Shop, { memberId }: MadeMember): Promise<void> {
  expectTampering(shop.id);
  await sql`
    insert into movements
    select (jsonb_populate_record(m, jsonb_build_object('id', nextval('movements_id_seq'), 'at', m.at - n * interval '1 minute' - interval '1 year'))).*
      from movements m, generate_series(1, ${PURCHASES}::int) n
     where m.commerce_id = ${shop.id} and m.member_id = ${memberId}
       and m.id = (select max(id) from movements where commerce_id = ${shop.id} and member_id = ${memberId})`.execute(
    db,
  );
  await sql`analyze movements`.execute(db);
}

test(
  'what a purchase costs under a limit for ever does not grow with the purchases of the member',
  { skip: onOneServer('a plan at the coordinator does not show the work of the others') },
  async (t) => {
    // Beside many others, as in any installation.
    await loadMembers(db, { members: 4_000, movements: 20_000, commerces: 10 });
    const shop = await makeShop({
      earning: {
        money_per_point: 1,
        rules: [
          { id: 'first-two', title: 'First two', give: { points: 5 }, limit: { times: 2, per: 'ever' } },
          { id: 'a-day', title: 'One a day', give: { points: 1 }, limit: { times: 1, per: 'day' } },
        ],
      },
    });
    const member = await shop.member();
    for (let n = 0; n < 4; n++) await shop.sell(member, 5);
    const before = await costOfPurchase(shop, member);
    await growPurchases(shop, member);
    const after = await costOfPurchase(shop, member);
    const told = [before, after].map((plans) => plans.map(({ tree }) => tree).join('\n'));
    t.diagnostic(told.join('\n\nand with 5,000 purchases more\n\n'));
    assert.deepEqual(after.map(({ statement }) => statement).toSorted(), [
      'read-past-purchases',
      'read-uses-of-rules',
    ]);
    for (const { statement, rows, buffers } of after) {
      const was = before.find((one) => one.statement === statement)!;
      assert.ok(rows <= was.rows + 20, `${statement}: ${was.rows} rows, then ${rows}`);
      assert.ok(buffers <= was.buffers + 20, `${statement}: ${was.buffers} pages, then ${buffers}`);
    }
    // The limits still hold.
    const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 5 });
    assert.equal(answer.headers.get('x-points-earned'), '5');
  },
);
