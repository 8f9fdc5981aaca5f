import { test } from 'node:test';
import { testDatabase } from './database.ts';
import { tamperAtRandom } from './tampering.ts';

test('whatever a superuser does to sealed movements is found against the last published head', async () => {
  await tamperAtRandom(await testDatabase(), { times: 25 });
});

test('a movement that is not sealed yet cannot be tampered with either, unless all sums are repaired', async () => {
  await tamperAtRandom(await testDatabase(), { times: 5, unsealed: true });
});
