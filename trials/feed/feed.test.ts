import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followUnderKills } from './follow-under-kills.ts';

test('a reader of the feed misses nothing and has nothing twice, whoever is killed', async (t) => {
  const { events, movements, provenTo, kills } = await followUnderKills({
    events: 300,
    longestMs: 60_000,
    writers: 6,
    longestUpMs: 700,
  });
  t.diagnostic(`${events} events, ${movements} movements, ${JSON.stringify(kills)} kills`);
  assert.equal(provenTo, movements);
});
