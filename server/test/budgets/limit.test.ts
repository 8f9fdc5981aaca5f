/** W12 divides by the leanest correct statements, so these have to be correct. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { emptyDatabase } from '#test/database.ts';
import { createBatches, fill, TABLES } from '../../../bench/limit.ts';
import { AMOUNT, COST, POINTS } from '../../../bench/load-members.ts';

const MEMBERS = 100;
const STRANGER = MEMBERS + 1;

test('the statements of the limit store each call once, and refuse strangers and anyone without the points', async (t) => {
  const { address } = await emptyDatabase(t, 1);
  const client = new Client(address.url);
  await client.connect();
  try {
    await client.query(TABLES);
    await client.query(fill(MEMBERS));
    const { buy, balances, exchange } = createBatches(client);
    const pointsOf = async (member: number) => Number((await balances([member]))[0]?.points);
    const [before, poor] = [await pointsOf(1), 2];
    await client.query('update members set points = 99 where code % 100 = 2');

    const bought = await buy([1, STRANGER].map((member) => ({ member, amount: AMOUNT })));
    assert.equal(bought.length, 1);
    assert.equal(await pointsOf(1), before + POINTS);

    const sold = await exchange([1, poor, STRANGER].map((member, voucher) => ({ member, voucher })));
    assert.equal(sold.length, 1);
    assert.equal(await pointsOf(1), before + POINTS - COST);
    assert.equal(await pointsOf(poor), 99);
    const { rows } = await client.query(`
      select (select count(*) from vouchers)::integer as vouchers,
             (select count(*) from movements where voucher is not null)::integer as paid,
             (select count(*) from movements)::integer as movements`);
    assert.deepEqual(rows, [{ vouchers: 1, paid: 1, movements: 11 * MEMBERS + 2 }]);
  } finally {
    await client.end();
  }
});
