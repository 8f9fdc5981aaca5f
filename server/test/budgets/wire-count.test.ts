/** The budget sheets charge every byte between the service and PostgreSQL to a statement. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Client } from 'pg';
import { testDatabaseUrl } from '#test/database.ts';
import { createWireCount, type WireUse } from '../../../bench/wire-count.ts';

test('every byte and every round trip is charged to the statement that caused it, however the messages are cut', async () => {
  const uses = new Map<string, WireUse>();
  const total = { sent: 0, received: 0 };
  const stream = new Socket();
  const client = new Client({
    connectionString: await testDatabaseUrl(),
    stream: () => stream,
    pipeline: true,
  });
  const count = createWireCount(uses);
  // Connecting gives the socket its own `write` back.
  stream.once('connect', () => {
    const write = stream.write.bind(stream);
    stream.write = (...args: unknown[]) => {
      const bytes = args[0] as Buffer;
      total.sent += bytes.length;
      count.sent(bytes);
      return Reflect.apply(write, stream, args);
    };
  });
  stream.on('data', (bytes: Buffer) => {
    total.received += bytes.length;
    for (let at = 0; at < bytes.length; at += 3) count.received(bytes.subarray(at, at + 3));
  });
  await client.connect();
  try {
    const before = { ...total };
    const rows = { name: 'some-rows', text: '-- some-rows\nselect generate_series(1, $1::integer)' };
    const [one, , other] = await Promise.allSettled([
      client.query({ ...rows, values: [3] }),
      client.query('-- wrong\nselect 1 / $1::integer', [0]),
      client.query({ ...rows, values: [4] }),
      client.query('begin; select 1; commit'),
    ]);
    assert.deepEqual([one.status, other.status], ['fulfilled', 'fulfilled']);

    const counts = [...uses].map(([name, { calls, roundTrips, rows }]) => ({
      name,
      calls,
      roundTrips,
      rows,
    }));
    assert.deepEqual(counts, [
      { name: 'some-rows', calls: 2, roundTrips: 1, rows: 7 },
      { name: 'wrong', calls: 1, roundTrips: 0, rows: 0 },
      { name: 'begin', calls: 1, roundTrips: 0, rows: 1 },
    ]);
    const sum = (field: 'sent' | 'received') => [...uses.values()].reduce((all, use) => all + use[field], 0);
    assert.equal(sum('sent'), total.sent - before.sent);
    assert.equal(sum('received'), total.received - before.received);
  } finally {
    await client.end();
  }
});
