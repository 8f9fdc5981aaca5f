import { createHash } from 'node:crypto';
import { deriveBrandColors } from '#colors/brand-colors.ts';
import type { AppleSettings } from '#settings/wallet-settings.ts';
import type { CardFacts } from './card-facts.ts';
import type { PackageSigner } from './package-signer.ts';
import { groupDigits, passTextsOf } from './texts.ts';

/** Where phones ask for updates. They add `/v1/…` themselves. */
export const APPLE_SERVICE = '/wallet/apple';

/** The identity of a pass: its serial, and the token with which phones fetch it. */
export interface PassIdentity {
  readonly serial: string;
  readonly token: string;
}

/** The address, settings and signer with which this service makes Apple’s passes. */
export interface AppleContext {
  readonly base: string;
  readonly apple: AppleSettings;
  readonly signer: PackageSigner;
}

/** Returns a member’s card as a signed package for Apple Wallet. */
export function signApplePass(
  { base, apple, signer }: AppleContext,
  facts: CardFacts,
  { serial, token }: PassIdentity,
): Promise<Buffer> {
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: apple.passTypeId,
    teamIdentifier: apple.teamId,
    serialNumber: serial,
    webServiceURL: base + APPLE_SERVICE,
    authenticationToken: token,
    ...writeApplePass(facts),
  };
  return signer.sign(pass, facts.shop.color);
}

/** Returns a hash of what Apple’s pass shows, which changes when a phone has to fetch it again. */
export function hashApplePass(facts: CardFacts): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(writeApplePass(facts)))
    .digest();
}

/** Whether passes can be signed at all. They cannot once the certificates have expired. */
export function isAppleUsable(
  apple: AppleSettings | null | undefined,
  now = Date.now(),
): apple is AppleSettings {
  return apple != null && now < apple.expiresAt.getTime();
}

/** A card with a square code has room for so many fields below its head. */
const MOST_ON_FRONT = 4;

function writeApplePass(facts: CardFacts): object {
  const { shop, code, username, points, waiting, stamps, tier, isValid } = facts;
  const t = passTextsOf(shop);
  const text = rgb(deriveBrandColors(shop.color).onBrand);
  const field = (key: string, label: string, value: string) => ({ key, label, value });
  const secondary = [
    ...(username === null ? [] : [field('member', t.member, username)]),
    ...(tier === null ? [] : [field('tier', t.tier, tier)]),
  ];
  const auxiliary = [
    ...(waiting > 0
      ? [{ key: 'waiting', label: t.waiting, value: waiting, numberStyle: 'PKNumberStyleDecimal' }]
      : []),
    ...stamps.map(({ id, title, have, need }) => field(`stamps-${id}`, title, t.stamps(have, need))),
  ];
  const room = MOST_ON_FRONT - secondary.length;
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
      secondaryFields: secondary,
      ...(auxiliary.length > 0 && { auxiliaryFields: auxiliary.slice(0, room) }),
      backFields: [
        ...auxiliary.slice(room),
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
