import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { createMemberClient, type Commerce, type MemberClient } from '@loyalty/sdk';
import { openDevice, type Device } from './device.ts';
import { createFormat, pickLocale, textsOf, type Format } from './format.ts';
import type { Texts } from './texts/en.ts';

/** The shop, the language and the API client that every part of the portal shares. */
export interface Club {
  readonly client: MemberClient;
  readonly commerce: Commerce;
  /** The commerce's time. Judge due dates by it, because the phone's clock may be wrong. */
  readonly now: () => Date;
  /** Changes whenever something about the member has changed. */
  readonly version: unknown;
  /** As in `Device`. What was begun in one session must not be finished in another. */
  readonly session: Device['session'];
  /** As in `Device`. */
  readonly member: string | null;
  readonly t: Texts;
  readonly f: Format;
  /** The language of the texts that the shop wrote itself. */
  readonly shopLocale: string;
}

const ClubContext = createContext<Club | null>(null);
export const ClubProvider = ClubContext.Provider;

export function useClub(): Club {
  const club = useContext(ClubContext);
  if (club === null) throw new Error('useClub was called outside a ClubProvider');
  return club;
}

/** The part of a club that can be read from the page itself, before the first call to the service. */
export interface ClubPage {
  readonly client: MemberClient;
  readonly device: Device;
  readonly commerceId: number;
  readonly name: string;
  readonly locale: string;
  readonly shopLocale: string;
  readonly timeZone: string;
  readonly t: Texts;
}

/** @param onSignedOut called when the service ends the session */
export function readClubPage(page: Document, onSignedOut: () => void): ClubPage {
  const commerceId = Number(readMeta(page, 'commerce'));
  const shopLocale = readMeta(page, 'locale');
  const locale = pickLocale(navigator.languages, shopLocale);
  const device = openDevice(commerceId);
  // The page is at {service}/club/{slug}, whatever path a proxy serves the service under.
  const baseUrl = new URL('..', location.href).href;
  return {
    client: createMemberClient({
      baseUrl,
      commerceId,
      tokens: device.tokens,
      onSignedOut,
      onCommerceTime: device.hearTime,
    }),
    device,
    commerceId,
    name: page.title,
    locale,
    shopLocale,
    timeZone: readMeta(page, 'time-zone'),
    t: textsOf(locale),
  };
}

/** @param version see `Club` */
export function createClub(page: ClubPage, commerce: Commerce, version: unknown = null): Club {
  const { client, device, shopLocale, locale, timeZone, t } = page;
  return {
    client,
    commerce,
    now: device.now,
    version,
    session: device.session,
    member: device.member(),
    shopLocale,
    t,
    f: createFormat(locale, timeZone, commerce.currency ?? 'EUR'),
  };
}

function readMeta(page: Document, name: string): string {
  return page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
