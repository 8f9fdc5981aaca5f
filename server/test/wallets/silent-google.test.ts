import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { startUpdateSender } from '#wallets/send-updates.ts';
import { startAppleServer } from './apple-server.ts';
import { PASS_TYPE_ID } from './certificates.ts';
import { walletService } from './wallet-service.ts';

test('a Google that never answers holds up neither the phones of Apple nor the end of the service', async (t) => {
  const wallets = await walletService();
  const apple = await startAppleServer(wallets.authority.certificate);
  let asked = 0;
  const silent = createServer(() => void (asked += 1));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;

  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  await wallets.openGoogle(browser, shop.id);
  const pass = await wallets.download(browser, shop.id);
  const pushToken = randomBytes(32).toString('hex');
  const registration = `/wallet/apple/v1/devices/${randomBytes(16).toString('hex')}/registrations/${PASS_TYPE_ID}/${pass.serialNumber}`;
  const { status } = await wallets.fetch(registration, {
    method: 'POST',
    headers: {
      authorization: `ApplePass ${pass.authenticationToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ pushToken }),
  });
  assert.equal(status, 201);
  await shop.sell(member, 30);

  const sender = startUpdateSender({
    db: await testDatabase(),
    wallets: wallets.settings,
    log: { info: () => {}, warn: () => {} } as never,
    servers: { apple, google: { tokens: `${address}/token`, wallets: `${address}/v1` } },
    everyMs: 50,
  });
  const isPushed = () => apple.pushesTo(pushToken) > 0 && asked > 0;
  while (!isPushed()) await sleep(20);
  // Sooner than Google is given up.
  const timesOut = sleep(9_000, 'timed out', { ref: false });
  assert.equal(await Promise.race([sender.stop().then(() => 'stopped'), timesOut]), 'stopped');
});
