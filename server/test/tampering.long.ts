import { test } from 'node:test';
import { testDatabase } from './database.ts';
import { tamperAtRandom } from './tampering.ts';

test('1,000 tamperings with sealed movements are found against the last published head', async () => {
  await tamperAtRandom(await testDatabase(), { times: 1_000 });
});

test('100 tamperings with movements that are not sealed yet are found, as long as the sums are left alone', async () => {
  await tamperAtRandom(await testDatabase(), { times: 100, unsealed: true });
});
