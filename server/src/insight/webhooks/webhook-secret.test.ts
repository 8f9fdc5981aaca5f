import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSigner } from './webhook-secret.ts';

test('a request is signed as the example of the specification, with each secret', () => {
  // libraries/python/tests/test_webhooks.py and libraries/php/tests/WebhookTest.php of github.com/standard-webhooks/standard-webhooks
  // at b2fa7b8719fb75d326b591077f5d1b385cfcdfae.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const sign = (...secrets: string[]) =>
    createSigner(secrets)(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1_614_265_330_000),
      '{"test": 2432232314}',
    );
  assert.deepEqual(sign(secret), headers);
  const [first, second, ...others] = sign(`whsec_${Buffer.alloc(32).toString('base64')}`, secret)[
    'webhook-signature'
  ]!.split(' ');
  assert.match(first!, /^v1,/);
  assert.deepEqual([second, others], [headers['webhook-signature'], []]);
});
