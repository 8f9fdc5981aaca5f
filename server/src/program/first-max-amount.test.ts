import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProgram } from './read-program.ts';
import { firstMaxAmount } from './first-max-amount.ts';
import { writeStarterFile } from './starter-file.ts';

test('a first program refuses a card that is typed as an amount, in every currency, and takes large purchases', () => {
  for (const moneyPerPoint of [0.001, 0.5, 1, 2.5, 10, 100, 1000, 5000, 100_000]) {
    const text = writeStarterFile(
      {
        slug: 'a-shop',
        name: 'A shop',
        currency: 'EUR',
        timeZone: 'Europe/Madrid',
        locale: 'en',
        moneyPerPoint,
        welcomePoints: 50,
        tiers: true,
        sandbox: true,
      },
      'FILE',
    );
    const read = readProgram(text);
    assert.ok(read.ok);
    const { max_amount: most } = read.program.earning;
    assert.equal(most, firstMaxAmount(moneyPerPoint));
    assert.ok(most < 100_000_000, 'nine digits are a card');
    assert.ok(most >= 25 * moneyPerPoint, 'a usual purchase earns some points');
  }
});
