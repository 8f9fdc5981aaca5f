import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookRefused } from '../../../sdk/src/index.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-11-26T08:00:00.000Z',
  data: { id: 'test_ñ' },
});

function signed(secret: string, at = new Date(), text = body) {
  return {
    'webhook-id': 'test_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('test_1', at, text),
  };
}

test('what the package of the specification has signed is verified, from headers of every kind', async () => {
  const secret = newSecret();
  const headers = signed(secret);
  assert.equal((await verifyWebhook(body, headers, secret)).type, 'webhook.test');
  assert.equal((await verifyWebhook(body, new Headers(headers), secret)).data.id, 'test_ñ');
  assert.equal(
    (await verifyWebhook(new TextEncoder().encode(body), headers, [newSecret(), secret])).type,
    'webhook.test',
  );
  const two = {
    ...headers,
    'webhook-signature': `v2,x ${signed(newSecret())['webhook-signature']} ${headers['webhook-signature']}`,
  };
  assert.equal((await verifyWebhook(body, two, secret)).type, 'webhook.test');
});

test('another secret, another body, another time and missing headers are refused', async () => {
  const secret = newSecret();
  const headers = signed(secret);
  const refused = async (text: string, given: Record<string, string>, with_ = secret) =>
    assert.rejects(verifyWebhook(text, given, with_), WebhookRefused);
  await refused(body, headers, newSecret());
  await refused(`${body} `, headers);
  await refused(body, { ...headers, 'webhook-id': 'test_2' });
  await refused(body, { ...headers, 'webhook-signature': 'v1,%' });
  await refused(body, { ...headers, 'webhook-signature': '' });
  await refused(body, signed(secret, new Date(Date.now() - 301_000)));
  await refused(body, signed(secret, new Date(Date.now() + 310_000)));
  await refused(body, { ...headers, 'webhook-timestamp': 'now' });
  for (const name of Object.keys(headers)) {
    const { [name as 'webhook-id']: _, ...rest } = headers;
    await refused(body, rest);
  }
  await assert.rejects(verifyWebhook(body, headers, 'whsec_%%'), TypeError);
});
