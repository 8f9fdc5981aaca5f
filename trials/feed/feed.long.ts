/** `FEED_EVENTS=100000` writes fewer, and `FEED_MINUTES=10` ends after so many minutes, whatever was written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followUnderKills } from './follow-under-kills.ts';

const EVENTS = Number(process.env['FEED_EVENTS'] ?? 1_000_000);
const MINUTES = Number(process.env['FEED_MINUTES'] ?? 24 * 60);

test(`a reader of ${EVENTS} events misses nothing and has nothing twice, whoever is killed`, async (t) => {
  const { events, movements, provenTo, kills } = await followUnderKills({
    events: EVENTS,
    longestMs: MINUTES * 60_000,
    longestUpMs: 15_000,
  });
  t.diagnostic(`${events} events, ${movements} movements, ${JSON.stringify(kills)} kills`);
  assert.equal(provenTo, movements);
});
