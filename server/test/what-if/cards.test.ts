/** Stamp cards in a what-if: returns, a code that is used, and an undone use that pays a debt. Figures computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, stampCard } from '#test/make.ts';
import { askWhatIf } from '#what-if/what-if.ts';

const { db } = await service();

test('a what-if has the stamps and full cards of the ledger from any day on, and those of another card', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-03-01T10:00:00Z',
    time_zone: 'UTC',
    codes: { undo_days: 30 },
    benefits: [benefit('free-coffee', { on_sale: false })],
    stamps: [stampCard('coffee', 'free-coffee', { title: 'Coffee card', need: 3 })],
  });
  const member = await shop.member();
  const { key } = await createKey(db, shop.id, 'undo', { scopes: ['undo', 'redeem'] });
  const at = async (happens: () => Promise<Answer>) => {
    const answer = await happens();
    assert.ok(answer.status < 300, answer.text);
    await shop.moveClock('1 day');
    return answer;
  };
  const buy = () =>
    at(() => shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 5 }));
  const back = (purchase: Answer) => at(() => shop.post(`${purchase.headers.get('location')}/reversal`, {}));
  const withKey = (path: string, body: object) => () =>
    call('POST', path, { headers: { authorization: `Bearer ${key}` }, body });

  const [first, second] = [await buy(), await buy()];
  await buy(); // the card is full
  await buy();
  const { rows } = await sql<{
    code: number;
  }>`select code from vouchers where commerce_id = ${shop.id}`.execute(db);
  await at(withKey('/v1/benefits/redeem', { client_benefit_code: rows[0]!.code, external_id: 'a' }));
  await back(first);
  await back(second); // the code is used, so the card is in debt
  await at(withKey('/v1/benefits/redemptions/a/undo', {})); // the code is void, and pays it
  await buy(); // full again

  const { program } = (await readCommerce(db, shop.id))!;
  const ask = async (day: number, stamps: typeof program.stamps) =>
    (
      await askWhatIf(db, {
        commerceId: shop.id,
        program: { ...program, stamps },
        from: `2027-03-0${day}`,
      })
    ).stamps.map(({ given, full }) => [given.then, given.now, full.then, full.now]);
  const needing = (need: number) => program.stamps.map((card) => ({ ...card, need }));

  assert.deepEqual(await ask(1, needing(3)), [[3, 3, 1, 1]]);
  for (let day = 2; day <= 9; day++) {
    const [[givenThen, givenNow, fullThen, fullNow] = []] = await ask(day, needing(3));
    assert.deepEqual([givenNow, fullNow], [givenThen, fullThen], `the same program from day ${day} on`);
  }
  // Two cards of 2 are filled; the code of the first is used, so the first return takes the second card.
  assert.deepEqual(await ask(1, needing(2)), [[3, 3, 1, 1]]);
  assert.deepEqual(await ask(1, needing(5)), [[3, 3, 1, 0]]);
  assert.deepEqual(
    await ask(
      1,
      program.stamps.map((card) => ({ ...card, paused: true })),
    ),
    [[3, 0, 1, 0]],
  );
  assert.deepEqual(await ask(1, []), [[3, 0, 1, 0]]);
});
