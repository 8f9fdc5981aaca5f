import type { Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import type { WalletSettings } from '#settings/wallet-settings.ts';
import { appleRoutes } from './apple-routes.ts';
import { cardRoutes } from './card-routes.ts';
import { useFewConnections } from './few-connections.ts';
import { ICON_PATH } from './google-pass.ts';
import { lookAgainAfterChanges } from './look-again.ts';
import { createPackageSigner } from './package-signer.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface WalletRoutesOptions {
  readonly db: Database;
  readonly holderOf: HolderReader;
  readonly secret: SecretKeys;
  /** Null if no wallet is configured. */
  readonly wallets: WalletSettings | null;
}

/**
 * Adds what phones call for the cards in their wallets, and nothing for a wallet that is not configured. Must be called
 * before the first route is added. Returns the route that tells members which wallets there are.
 */
export function addWallets(app: App, { wallets, ...options }: WalletRoutesOptions) {
  const { db, holderOf } = options;
  const signer = wallets?.apple && createPackageSigner(wallets.apple);
  const apple = signer && { base: wallets.base, apple: wallets.apple, signer };
  const phones = useFewConnections(db);
  const card = cardRoutes({ ...options, phones, wallets, apple: apple ?? null });
  if (wallets !== null) lookAgainAfterChanges(app, db);
  if (signer) app.addHook('onClose', () => signer.close());

  if (wallets?.google) {
    app.get('/wallet/google/cards/:ticket', card.openGoogleCard);
    app.get(ICON_PATH, card.sendIcon);
  }
  if (apple) {
    const service = appleRoutes({ db: phones, holderOf, apple });
    app.get('/wallet/apple/cards/:ticket', card.downloadAppleCard);
    app.post('/wallet/apple/v1/devices/:device/registrations/:pass_type/:serial', service.registerDevice);
    app.delete('/wallet/apple/v1/devices/:device/registrations/:pass_type/:serial', service.unregisterDevice);
    app.get('/wallet/apple/v1/devices/:device/registrations/:pass_type', service.listChangedPasses);
    app.get('/wallet/apple/v1/passes/:pass_type/:serial', service.sendPass);
    app.post('/wallet/apple/v1/log', service.logProblems);
  }
  return { listMyWallets: card.listMyWallets };
}
