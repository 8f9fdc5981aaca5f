import { after, before, test } from 'node:test';
import { killUnderLoad } from '#test/kill-under-load.ts';
import { makeDataDir, removeDataDir } from '#test/start.ts';

const ROUNDS = 20;
let dataDir = '';

before(async () => {
  dataDir = await makeDataDir();
});
after(() => removeDataDir(dataDir));

test(`${ROUNDS} times kill -9 of the service, alone and with its PostgreSQL, loses no acknowledged purchase`, async (t) => {
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Early as well as late, because the first purchases after a recovery are the most likely to be lost.
    const atLeast = 1 + Math.floor(Math.random() * 500);
    const killed = round % 2 === 0 ? 'service' : 'service and PostgreSQL';
    acknowledged += (await killUnderLoad(dataDir, killed, atLeast)).acknowledged;
  }
  t.diagnostic(`${acknowledged} acknowledged, none lost`);
});
