import { createHash } from 'node:crypto';
import { PKPass } from 'passkit-generator';
import { deriveBrandColors } from '#portal/brand-colors.ts';
import type { AppleSettings, WalletSettings } from '../wallet-settings.ts';
import type { CardFacts } from './card-facts.ts';
import { drawCardIcon } from './draw-icon.ts';
import { groupDigits, passTextsOf } from './texts.ts';

/** Where phones ask for updates. They add `/v1/…` themselves. */
export const APPLE_SERVICE = '/wallet/apple';

/** What names a pass: its serial, and the token with which phones fetch it. */
export interface PassIdentity {
  readonly serial: string;
  readonly token: string;
}

/** Returns a member’s card as a signed package for Apple Wallet. */
export function signApplePass(
  { base, apple }: { base: string; apple: AppleSettings },
  facts: CardFacts,
  { serial, token }: PassIdentity,
): Buffer {
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: apple.passTypeId,
    teamIdentifier: apple.teamId,
    serialNumber: serial,
    webServiceURL: base + APPLE_SERVICE,
    authenticationToken: token,
    ...writeApplePass(facts),
  };
  const { color } = facts.shop;
  const signed = new PKPass(
    {
      'pass.json': Buffer.from(JSON.stringify(pass)),
      'icon.png': drawCardIcon(color, 29),
      'icon@2x.png': drawCardIcon(color, 58),
      'icon@3x.png': drawCardIcon(color, 87),
      'logo.png': drawCardIcon(color, 50),
      'logo@2x.png': drawCardIcon(color, 100),
    },
    { signerCert: apple.certificate, signerKey: apple.key, wwdr: apple.intermediate },
  );
  return signed.getAsBuffer();
}

/** Returns a hash of what Apple’s pass shows, which changes when a phone has to fetch it again. */
export function hashApplePass(facts: CardFacts): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(writeApplePass(facts)))
    .digest();
}

/** Whether passes can be signed at all. They cannot once the certificates have expired. */
export function isAppleUsable(wallets: WalletSettings | null, now = Date.now()): boolean {
  return wallets?.apple != null && now < wallets.apple.expiresAt.getTime();
}

function writeApplePass(facts: CardFacts): object {
  const { shop, code, username, points, tier, isValid } = facts;
  const t = passTextsOf(shop);
  const text = rgb(deriveBrandColors(shop.color).onBrand);
  const field = (key: string, label: string, value: string) => ({ key, label, value });
  return {
    organizationName: shop.name,
    description: t.card(shop.name),
    logoText: shop.name,
    backgroundColor: rgb(shop.color),
    foregroundColor: text,
    labelColor: text,
    voided: !isValid,
    ...(isValid && {
      barcodes: [
        {
          format: 'PKBarcodeFormatQR',
          message: String(code),
          messageEncoding: 'iso-8859-1',
          altText: groupDigits(code),
        },
      ],
    }),
    storeCard: {
      headerFields: [
        isValid
          ? {
              key: 'points',
              label: t.points,
              value: points,
              numberStyle: 'PKNumberStyleDecimal',
              // Shown on the lock screen when the balance changes.
              changeMessage: `${t.points}: %@`,
            }
          : field('status', '', t.notValid),
      ],
      secondaryFields: [
        ...(username === null ? [] : [field('member', t.member, username)]),
        ...(tier === null ? [] : [field('tier', t.tier, tier)]),
      ],
      backFields: [
        field('number', t.number, groupDigits(code)),
        field('about', t.about, isValid ? t.aboutText(shop.name) : t.notValidText(shop.name)),
      ],
    },
  };
}

function rgb(color: string): string {
  const [red, green, blue] = Buffer.from(color.slice(1), 'hex');
  return `rgb(${red}, ${green}, ${blue})`;
}
