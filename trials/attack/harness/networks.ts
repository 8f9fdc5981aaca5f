/** Addresses that callers use. The service takes each for a client network of its own. */

/** The server of the shop that should notice nothing. */
export const OTHERS = '127.0.0.2';
/** The attacker's own address. */
export const ATTACKER = '127.0.0.9';
/** The address whose `X-Forwarded-For` the service trusts. */
export const PROXY = '127.0.0.1';

/** One of many networks that an attacker rents. */
export function rentedNetwork(n: number): string {
  return `127.9.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`;
}

/** The network that a person calls from. */
export function networkOfPerson(n: number): string {
  return `127.1.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`;
}
