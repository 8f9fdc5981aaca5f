import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { GoogleSettings } from '#settings/wallet-settings.ts';
import type { CardFacts, ShopFacts } from './card-facts.ts';
import { groupDigits, passTextsOf } from './texts.ts';

/** Where a signed card is added to Google Wallet. */
const SAVE_ADDRESS = 'https://pay.google.com/gp/v/save/';

/** Where the picture for shops without a logo is. */
export const ICON_PATH = '/wallet/icon.png';

export interface GoogleIds {
  readonly classId: string;
  readonly objectId: string;
}

/** The context for the links and passes of a shop. */
export interface GoogleContext {
  readonly base: string;
  readonly google: GoogleSettings;
}

/** Returns the ids at Google of a shop and of one of its passes. */
export function googleIdsOf({ google }: GoogleContext, googleClass: string, serial: string): GoogleIds {
  return { classId: `${google.issuerId}.${googleClass}`, objectId: `${google.issuerId}.${serial}` };
}

/**
 * Returns the address at which a member adds the card to Google Wallet. It carries the card, signed. `knowsShop`: the
 * shop was already sent to Google, and does not make the address longer. Browsers may cut it after 1,800 characters.
 */
export async function signGoogleLink(
  context: GoogleContext,
  facts: CardFacts,
  ids: GoogleIds,
  knowsShop: boolean,
): Promise<string> {
  const { google } = context;
  const token = await new SignJWT({
    typ: 'savetowallet',
    origins: [],
    payload: {
      ...(!knowsShop && { loyaltyClasses: [writeGoogleClass(context, facts.shop, ids.classId)] }),
      // The first update brings the stamps: three long names would be too much for the address.
      loyaltyObjects: [writeGoogleObject({ ...facts, stamps: [] }, ids)],
    },
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: google.keyId })
    .setIssuer(google.email)
    .setAudience('google')
    .setIssuedAt()
    .sign(await importPKCS8(google.key, 'RS256'));
  return SAVE_ADDRESS + token;
}

/** Returns what all passes of a shop have in common, as Google stores it. */
export function writeGoogleClass({ base }: GoogleContext, shop: ShopFacts, id: string): object {
  const t = passTextsOf(shop);
  return {
    id,
    issuerName: shop.name,
    programName: t.card(shop.name),
    programLogo: {
      sourceUri: { uri: isForGoogle(shop.logo) ? shop.logo : base + ICON_PATH },
      contentDescription: { defaultValue: { language: shop.language, value: shop.name } },
    },
    hexBackgroundColor: shop.color,
    accountNameLabel: t.member,
    accountIdLabel: t.number,
    reviewStatus: 'UNDER_REVIEW',
  };
}

/** Google takes no SVG, and needs a whole address. */
function isForGoogle(logo: string | null): logo is string {
  return logo !== null && logo.startsWith('https://') && !/\.svg([?#]|$)/i.test(logo);
}

/** Returns a member’s card, as Google stores it. An inactive one moves to the member’s expired passes. */
export function writeGoogleObject(facts: CardFacts, { objectId, classId }: GoogleIds): object {
  const { shop, code, username, points, waiting, stamps, tier, isValid } = facts;
  const t = passTextsOf(shop);
  return {
    id: objectId,
    classId,
    state: isValid ? 'ACTIVE' : 'INACTIVE',
    accountId: groupDigits(code),
    // An update leaves absent fields as they were.
    accountName: username ?? '',
    loyaltyPoints: {
      label: t.points,
      balance: points <= MOST_INT && points >= -MOST_INT ? { int: points } : { string: String(points) },
    },
    barcode: { type: 'QR_CODE', value: String(code), alternateText: groupDigits(code) },
    textModulesData: [
      ...(tier === null ? [] : [{ id: 'tier', header: t.tier, body: tier }]),
      ...(waiting === 0 ? [] : [{ id: 'waiting', header: t.waiting, body: String(waiting) }]),
      ...stamps.map(({ id, title, have, need }) => ({
        id: `stamps-${id}`,
        header: title,
        body: t.stamps(have, need),
      })),
      ...(isValid ? [] : [{ id: 'status', header: t.notValid, body: t.notValidText(shop.name) }]),
    ],
  };
}

/** Returns a hash of something that is sent to Google, which changes when it has to be sent again. */
export function hashForGoogle(content: object): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const MOST_INT = 2 ** 31 - 1;
