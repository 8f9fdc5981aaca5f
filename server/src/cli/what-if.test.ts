import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommerce } from '#commerces/commerce.ts';
import { loyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { describeWhatIf, type ToldWhatIf } from './what-if.ts';

test('apply --what-if says what the file would have done, and changes nothing', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member('ana');
  await shop.sell(member, 100);
  const { program } = (await readCommerce(db, shop.id))!;
  const file = (money_per_point: number) =>
    JSON.stringify({ ...program, earning: { ...program.earning, money_per_point } });

  const asked = await loyalty(['apply', '-', '--what-if', '--json'], { input: file(4) });
  assert.equal(asked.code, 0, asked.stderr);
  const told = asked.json<ToldWhatIf>();
  assert.deepEqual(told.points.earned, { then: 100, now: 25 });
  assert.equal((await readCommerce(db, shop.id))!.rules.version, 1);

  const text = describeWhatIf(shop.slug, told);
  assert.match(text, /1 purchase of 100 by 1 person\. Nothing was changed\./);
  assert.match(text, /^earned +100 +25$/m);
  assert.match(text, new RegExp(`^${member.code} +100 +25$`, 'm'));
  assert.match(text, /Publishing it now:\n {2}moves nobody$/);

  const tomorrow = await loyalty(['apply', '-', '--what-if', '--from', '2999-01-01'], { input: file(4) });
  assert.deepEqual([tomorrow.code, tomorrow.stdout], [1, '']);
  assert.match(tomorrow.stderr, /--from is in the future: send a day that has begun\./);
  const alone = await loyalty(['apply', '-', '--from', '2026-01-01'], { input: file(4) });
  assert.match(alone.stderr, /--from and --to can only be used with --what-if\./);
  assert.equal((await readCommerce(db, shop.id))!.rules.version, 1);
});
