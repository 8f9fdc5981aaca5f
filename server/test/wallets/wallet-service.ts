import type { AddressInfo } from 'node:net';
import { jwtVerify, importSPKI } from 'jose';
import { buildApp } from '../../src/app.ts';
import { checkWallets, type WalletSettings } from '../../src/platform/settings/wallet-settings.ts';
import { onEnd, testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import type { Browser } from '#test/make.ts';
import { makeVariables, type Certified } from './certificates.ts';
import { readPackage, type PassJson } from './read-package.ts';

/** A service with both wallets, on the database of the other tests. */
export interface WalletService {
  readonly settings: WalletSettings;
  readonly authority: Certified;
  /** The service account’s, as PEM. */
  readonly publicKey: string;
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The addresses that the member’s page gets. */
  addressesOf(browser: Browser, commerceId: number): Promise<{ google: string | null; apple: string | null }>;
  /** The member presses the button of Apple Wallet: the package, checked and read. */
  download(browser: Browser, commerceId: number): Promise<PassJson>;
  /** The member presses the button of Google Wallet: what the link says, checked. */
  openGoogle(browser: Browser, commerceId: number): Promise<GoogleLink>;
}

export interface GoogleLink {
  readonly address: string;
  readonly iss: string;
  readonly aud: string;
  readonly typ: string;
  readonly payload: {
    readonly loyaltyClasses?: Record<string, unknown>[];
    readonly loyaltyObjects: Record<string, unknown>[];
  };
}

let started: Promise<WalletService> | undefined;

export function walletService(): Promise<WalletService> {
  started ??= start();
  return started;
}

async function start(): Promise<WalletService> {
  const variables = makeVariables();
  const { settings, issues } = checkWallets(variables, new Date());
  if (settings === null) throw new Error(issues.join('\n'));
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET, wallets: settings });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onEnd(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const { authority, publicKey } = variables;

  const open = (address: string | null) =>
    fetch(address!.replace(settings.base, url), { redirect: 'manual' });
  const addressesOf: WalletService['addressesOf'] = async ({ token }, commerceId) => {
    const response = await fetch(`${url}/v1/me/card/wallets`, {
      headers: { authorization: `Bearer ${token}`, 'x-commerce-id': String(commerceId) },
    });
    return (await response.json()) as { google: string | null; apple: string | null };
  };
  return {
    settings,
    authority,
    publicKey,
    url,
    fetch: (path, init) => fetch(url + path, init),
    addressesOf,
    async download(browser, commerceId) {
      const response = await open((await addressesOf(browser, commerceId)).apple);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200) throw new Error(`${response.status} ${bytes.toString()}`);
      return readPackage(bytes, authority.certificate);
    },
    async openGoogle(browser, commerceId) {
      const response = await open((await addressesOf(browser, commerceId)).google);
      if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
      const address = response.headers.get('location')!;
      const token = address.replace('https://pay.google.com/gp/v/save/', '');
      const { payload } = await jwtVerify(token, await importSPKI(publicKey, 'RS256'), {
        audience: 'google',
      });
      return { address, ...payload } as unknown as GoogleLink;
    },
  };
}
