import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharesOf } from '../../../bench/profile-parts.ts';

test('each sample of a profile counts for the part of the program that ran, and idle ones for none', () => {
  const at = (id: number, functionName: string, url: string, children: number[] = []) => ({
    id,
    callFrame: { functionName, url },
    children,
  });
  const nodes = [
    at(1, '(root)', '', [2, 3, 4, 8, 11]),
    at(2, '(idle)', ''),
    at(3, '(garbage collector)', ''),
    at(4, 'record', 'file:///loyalty/server/src/loyalty/purchases/purchase-recorder.ts', [5, 10]),
    at(5, 'query', 'file:///loyalty/node_modules/pg/lib/client.js', [6]),
    at(6, 'Writable.uncork', 'node:internal/streams/writable', [7]),
    at(7, 'writev', ''),
    at(8, 'end', 'node:_http_outgoing', [9]),
    at(9, 'writeLatin1String', ''),
    at(10, 'hash', ''),
    at(11, 'sendTogether', 'file:///loyalty/server/src/platform/db/client-statements.ts', [12]),
    at(12, 'writev', ''),
  ];
  const samples = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 2];
  const shares = sharesOf({ nodes, samples, timeDeltas: samples.map(() => 100) });
  const found = Object.entries(shares).filter(([, share]) => share > 0);
  const ninths = found.map(([part, share]) => [part, Math.round(share * 9)]);
  assert.deepEqual(Object.fromEntries(ninths), {
    'writes to PostgreSQL': 2,
    'writes of answers': 1,
    'the driver': 1,
    'Node: HTTP, streams, timers': 2,
    // A native function belongs to whoever calls it.
    'the service: rules, rows, SQL': 2,
    'garbage collector': 1,
  });
});
