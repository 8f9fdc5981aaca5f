import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import {
  createMemberClient,
  webTokens,
  type Commerce,
  type MemberClient,
  type TokenStorage,
} from '@loyalty/sdk';
import { formatOf, pickLocale, textsOf, type Format } from './format.ts';
import type { Texts } from './texts/en.ts';

/** What every part of the portal is about: one shop, one language, one client. */
export interface Club {
  readonly client: MemberClient;
  readonly tokens: TokenStorage;
  readonly commerce: Commerce;
  readonly t: Texts;
  readonly f: Format;
  /** Language of what the shop wrote itself. */
  readonly shopLocale: string;
}

const ClubContext = createContext<Club | null>(null);
export const ClubProvider = ClubContext.Provider;

export function useClub(): Club {
  const club = useContext(ClubContext);
  if (club === null) throw new Error('outside of the club');
  return club;
}

/** The part of a club that is known from the page itself, before the service has said anything. */
export interface Place {
  readonly client: MemberClient;
  readonly tokens: TokenStorage;
  readonly name: string;
  readonly locale: string;
  readonly shopLocale: string;
  readonly timeZone: string;
  readonly t: Texts;
}

/** @param onSignedOut called when the service has ended the session */
export function placeOf(page: Document, onSignedOut: () => void): Place {
  const commerceId = Number(said(page, 'commerce'));
  const shopLocale = said(page, 'locale');
  const locale = pickLocale(navigator.languages, shopLocale);
  const tokens = webTokens(`loyalty/${commerceId}`);
  // The page stands at {service}/club/{slug}, wherever a proxy puts the service.
  const baseUrl = new URL('..', location.href).href;
  return {
    client: createMemberClient({ baseUrl, commerceId, tokens, onSignedOut }),
    tokens,
    name: page.title,
    locale,
    shopLocale,
    timeZone: said(page, 'time-zone'),
    t: textsOf(locale),
  };
}

export function clubOf(place: Place, commerce: Commerce): Club {
  const { client, tokens, shopLocale, locale, timeZone, t } = place;
  return {
    client,
    tokens,
    commerce,
    shopLocale,
    t,
    f: formatOf(locale, timeZone, commerce.currency ?? 'EUR'),
  };
}

function said(page: Document, name: string): string {
  return page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
