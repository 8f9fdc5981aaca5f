import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { core } from './core.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({
  type: 'voucher.used',
  timestamp: '2026-11-26T08:00:00.000Z',
  data: { id: 'e1', type: 'voucher.used', data: { voucher_id: 4 } },
});

function signed(text: string) {
  const now = new Date();
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('msg_1', now, text),
  };
}

test('an event reaches the handler of its type, and others are taken without one', async () => {
  const used: number[] = [];
  const receive = core.createReceiver({
    secret: SECRET,
    handlers: { 'voucher.used': ({ data }) => void used.push(data.voucher_id!) },
  });
  assert.equal(await receive(body, signed(body)), 204);
  const other = body.replaceAll('voucher.used', 'tier.reached');
  assert.equal(await receive(other, signed(other)), 204);
  assert.deepEqual(used, [4]);
});

test('a shop that passes everything on takes the events without a handler of their own', async () => {
  const passed: string[] = [];
  const receive = core.createReceiver({
    secret: SECRET,
    handlers: { 'voucher.used': () => assert.fail('it is for the other') },
    otherwise: ({ type }) => void passed.push(type),
  });
  const other = body.replaceAll('voucher.used', 'tier.reached');
  assert.equal(await receive(other, signed(other)), 204);
  assert.deepEqual(passed, ['tier.reached']);
});

test('a forged request and one that is too large reach no handler', async () => {
  const receive = core.createReceiver({
    secret: SECRET,
    handlers: { 'voucher.used': () => assert.fail('it was forged') },
  });
  assert.equal(await receive(body.replace('4', '5'), signed(body)), 401);
  const large = `${body}${' '.repeat(40_000)}`;
  assert.equal(await receive(large, signed(large)), 413);
});

/** The events that a shop has handled, in memory. */
function memory() {
  const ids = new Set<string>();
  return { has: async (id: string) => ids.has(id), add: async (id: string) => void ids.add(id) };
}

test('an event that comes again is handled once where the shop remembers it', async () => {
  let handled = 0;
  const receive = core.createReceiver({
    secret: SECRET,
    handlers: { 'voucher.used': () => void (handled += 1) },
    handled: memory(),
  });
  for (let i = 0; i < 3; i += 1) assert.equal(await receive(body, signed(body)), 204);
  assert.equal(handled, 1);
});

test('an event whose handler failed is told, and handled when it comes again', async () => {
  const calls: string[] = [];
  const receive = core.createReceiver({
    secret: SECRET,
    handlers: {
      'voucher.used': (_event, id) => {
        calls.push(id);
        if (calls.length === 1) throw new Error('the database is away');
      },
    },
    handled: memory(),
  });
  await assert.rejects(receive(body, signed(body)), /database/);
  assert.equal(await receive(body, signed(body)), 204);
  assert.equal(await receive(body, signed(body)), 204);
  assert.deepEqual(calls, ['msg_1', 'msg_1']);
});
