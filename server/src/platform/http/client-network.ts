import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/**
 * Returns the network that a client calls from: an IPv4 address, or the /64 of an IPv6 address, since one person can
 * choose any address in a /64. Call it with `request.ip`, which `readReportedAddresses` has made an address. A connection that
 * its client has closed already has none: all such clients count as one.
 */
export function clientNetworkOf(address: string | undefined): string {
  const [ip = ''] = (address ?? '').split('%', 1);
  if (!isIPv6(ip)) return ip.slice(0, 64);
  const groups = parseGroups(ip);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return formatIpv4(groups[6]!, groups[7]!);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/**
 * Rewrites `X-Forwarded-For` as plain addresses before anything reads it. Proxies also write a port, brackets or quotes.
 * The list grows to the right, so an entry that is no address hides the ones before it, and the proxy that reported it
 * counts as the caller. Whether the header is trusted at all is decided by Fastify, by `TRUST_PROXY`.
 */
export function readReportedAddresses(headers: IncomingHttpHeaders): void {
  const reported = headers['x-forwarded-for'];
  if (reported === undefined || isIP(String(reported)) !== 0) return;
  const entries = String(reported).split(',').map(readAddress);
  const readable = entries.slice(entries.lastIndexOf(null) + 1);
  if (readable.length === 0) delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = readable.join(', ');
}

/** Returns the address of one entry, or null if it is not one. */
function readAddress(entry: string): string | null {
  const text = entry.trim();
  if (isIP(text) !== 0) return text;
  const { ipv4, ipv6 } = ADDRESS_AND_PORT.exec(text)?.groups ?? {};
  if (ipv4 !== undefined && isIP(ipv4) === 4) return ipv4;
  return ipv6 !== undefined && isIPv6(ipv6) ? ipv6 : null;
}

/** An IPv4 address or an IPv6 address in brackets, either with a port, and in quotes or without. */
const ADDRESS_AND_PORT = /^("?)(?:(?<ipv4>[\d.]{7,15})|\[(?<ipv6>[\w:.%]{2,64})\])(?::\d{1,5})?\1$/;

/** Returns the /24 of an IPv4 address and the /48 of an IPv6 network: about the size that one attacker can get. */
export function widenNetwork(network: string): string {
  if (network.includes(':')) return `${network.split(':').slice(0, 3).join(':')}::/48`;
  return `${network.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Returns the eight numbers of an IPv6 address in any notation. */
function parseGroups(ip: string): number[] {
  // The URL parser accepts every notation and writes all of them in one form, without dots.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const left = parseNumbers(head);
  const right = parseNumbers(tail ?? '');
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function parseNumbers(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function formatIpv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
