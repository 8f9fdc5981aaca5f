import { isIP } from 'node:net';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { isLoopbackAddress, isPublicAddress } from './judge-address.ts';

/** Where webhooks may be sent to. */
export interface AddressRules {
  readonly ports: readonly number[];
  /** Names of hosts at which the service itself answers. */
  readonly ownHosts: readonly string[];
  /** True to try webhooks out on one machine: its own addresses are accepted too, there also without TLS and at any port. */
  readonly loopback: boolean;
}

/** The rules without settings. */
export const INTERNET_ONLY: AddressRules = { ports: [443, 8443], ownHosts: [], loopback: false };

export const ADDRESS_CHARACTERS = 2_000;

/** The address can be no webhook’s. */
class UnfitAddress extends InvalidRequest {
  constructor(reason: string) {
    super(
      [{ loc: ['body', 'url'], msg: `Value error, ${reason}`, type: 'value_error' }],
      'invalid',
      'Send the address of a receiver on the internet, such as https://shop.example/loyalty.',
    );
  }
}

/**
 * Returns the address as it is stored. What its name leads to is judged later, with each connection.
 * @throws UnfitAddress
 */
export function checkAddress(text: string, rules: AddressRules): string {
  const reason = whyUnfit(text, rules);
  if (reason !== null) throw new UnfitAddress(reason);
  return new URL(text).href;
}

/** Returns why nothing is sent to this address; null if it may be. */
export function whyUnfit(text: string, { ports, ownHosts, loopback }: AddressRules): string | null {
  if (!URL.canParse(text)) return 'not an address';
  const url = new URL(text);
  if (url.href.length > ADDRESS_CHARACTERS) return `longer than ${ADDRESS_CHARACTERS} characters`;
  if (url.username !== '' || url.password !== '') return 'it must not have a name or a password';
  if (url.hash !== '') return 'it must not have a fragment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it must begin with https://';
  const host = hostOf(url);
  if (loopback && isLoopbackName(host)) return null;
  if (url.protocol !== 'https:') return 'it must begin with https://';
  const port = url.port === '' ? 443 : Number(url.port);
  if (!ports.includes(port)) return `its port must be ${ports.join(' or ')}`;
  if (ownHosts.includes(host)) return 'it is the address of this service';
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'it is not on the internet';
  if (isLoopbackName(host)) return 'it is not on the internet';
  return null;
}

/** The host of an address, without the brackets of IPv6 and the dot at the end of a full name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}
