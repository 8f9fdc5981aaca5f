import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { createPathGuess } from './near-miss.ts';

const { app } = await service();

const MEANT: readonly (readonly [sent: string, message: RegExp])[] = [
  ['POST /v1/consumption/client-code', /did you mean POST \/v1\/consumptions\/client-code\?/],
  ['POST /v1/consumptions/client-code/', /client-code, without a slash at the end\?/],
  ['POST /V1/Consumptions/Email', /did you mean POST \/v1\/consumptions\/email\?/],
  ['POST /consumptions/client-code', /did you mean POST \/v1\/consumptions\/client-code\?/],
  ['GET /api/v1/clients/list', /did you mean GET \/v1\/clients\/list\?/],
  ['GET /v1/client/482915374', /did you mean GET \/v1\/clients\/\{client_code\}\?/],
  ['GET /v1/benefit/flat-white', /did you mean GET \/v1\/benefits\/\{benefit_id\}\?/],
  [
    'GET /v2/benefit/preview/52840917364015',
    /did you mean GET \/v2\/benefits\/preview\/\{client_benefit_code\}\?/,
  ],
  ['POST /v1/redeem', /did you mean POST \/v1\/benefits\/redeem\?/],
  [
    'POST /v1/consumptions/client_code',
    /^POST is not allowed here: did you mean POST \/v1\/consumptions\/client-code\?$/,
  ],
  [
    'POST /v1/consumptions',
    /^POST is not allowed here: to record a purchase, send POST \/v1\/consumptions\/client-code or /,
  ],
  [
    'POST /v1/consumptions/reversal',
    /^POST is not allowed here: did you mean POST \/v1\/consumptions\/\{consumption_id\}\/reversal\?$/,
  ],
  ['POST /v1/me', /^POST is not allowed here: send GET or PATCH$/],
  ['GET /v1', /: \/docs lists all paths$/],
  ['GET /v1/', /: \/docs lists all paths$/],
  ['GET /v1/clients%2F482915374', /did you mean GET \/v1\/clients\/\{client_code\}\?/],
  ['GET /v1/clients', /did you mean GET \/v1\/clients\/list\?/],
  ['GET /v1/members', /did you mean GET \/v1\/clients\/list\?/],
  ['GET /v1/customers/482915374', /did you mean GET \/v1\/clients\/\{client_code\}\?/],
  ['GET /v1/purchases', /did you mean GET \/v1\/consumptions\?/],
  ['POST /v1/purchases/', /did you mean POST \/v1\/consumptions\/client-code, without a slash/],
  ['GET /v1/points', /did you mean GET \/v1\/me\?/],
  ['GET /health', /did you mean GET \/healthz\?/],
  ['GET /v1/constructor', /: \/docs lists all paths$/],
  ['GET /v1/__proto__/$&', /: \/docs lists all paths$/],
  ['GET /v1/auth/otp/request', /^GET is not allowed here: send POST$/],
  ['GET /wp-login.php', /: \/docs lists all paths$/],
  ['GET /.env', /: \/docs lists all paths$/],
  ['PUT /v1/consumptions/email', /^PUT is not allowed here: send POST$/],
  [
    'DELETE /v1/consumptions/17',
    /not allowed here: .* send POST \/v1\/consumptions\/\{consumption_id\}\/reversal; /,
  ],
  ['GET /v3/benefits/preview/52840917364015', /did you mean GET \/v2\/benefits\/preview\//],
  ['GET /v3/clients/list', /did you mean GET \/v1\/clients\/list\?/],
  ['POST /v1/refunds', /did you mean POST \/v1\/consumptions\/\{consumption_id\}\/reversal\?/],
  ['GET /v1/refunds/17', /did you mean POST \/v1\/consumptions\/\{consumption_id\}\/reversal\?/],
  ['GET /v1/coupons', /did you mean GET \/v1\/benefits\/list\?/],
  ['GET /v1/coupons/52840917364015', /did you mean GET \/v2\/benefits\/preview\/\{client_benefit_code\}\?/],
  ['POST /v1/coupons', /did you mean POST \/v1\/benefits\/redeem\?/],
  ['GET /v1/webhooks', /^webhooks are made in the console .*\/docs\/webhooks\.md/],
  ['POST /v1/webhooks/', /^webhooks are made in the console .*\/docs\/webhooks\.md/],
  ['POST /v1/auth/login', /did you mean POST \/v1\/auth\/otp\/request\?/],
];
for (const [sent, message] of MEANT) {
  test(`${sent} is answered with the path that may be meant, or none`, async () => {
    const [method, url] = sent.split(' ') as ['GET', string];
    const answer = await app.inject({ method, url });
    assert.match(answer.json<{ message: string }>().message, message);
  });
}

test('a guess contains nothing of what was sent', async () => {
  const answer = await app.inject({ url: '/v1/clients/ana%40example.com/benefit' });
  assert.equal(answer.statusCode, 404);
  assert.doesNotMatch(answer.body, /ana/);
});

test('the work of a guess is bounded, however long the path is', () => {
  const paths = Array.from({ length: 60 }, (_, i) => ({
    path: `/v1/things-number-${i}/of-a-shop/{id}/parts`,
    methods: ['GET'],
  }));
  const guess = createPathGuess(() => paths);
  for (const path of ['/a'.repeat(5_000), `/${'x'.repeat(100_000)}`, '/'.repeat(10_000), '//////a'])
    assert.equal(guess('GET', path, false), undefined);
});
