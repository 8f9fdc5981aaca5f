import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** IPv6 addresses that anybody can be reached at. Everything else is inside some network or not handed out. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');
/** Parts of it that lead into tunnels, to documentation or to protocols. */
const SPECIAL = ['2001::/23', '2001:db8::/32', '3fff::/20'].map((block) => ipaddr.IPv6.parseCIDR(block));
/** A public address at which a cloud answers its own machines. */
const CLOUD: ReadonlySet<string> = new Set(['168.63.129.16']);
/** The middle of an address that carries an IPv4 address through a network (ISATAP). */
const ISATAP = [0x0000_5efe, 0x0200_5efe];

/**
 * Returns true if an IP address is somewhere on the public internet, and not this machine. Forms that carry an IPv4 address (mapped, NAT64
 * and 6to4) are judged by that one.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = unwrap(ipaddr.parse(text));
  return (isIPv4(address) ? isPublicIPv4(address) : isPublicIPv6(address)) && !isOfThisMachine(address);
}

/** Returns true for 127.0.0.0/8 and ::1. */
export function isLoopbackAddress(text: string): boolean {
  return isIP(text) !== 0 && unwrap(ipaddr.parse(text)).range() === 'loopback';
}

function unwrap(address: IPv4 | IPv6): IPv4 | IPv6 {
  if (isIPv4(address)) return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === 'ipv4Mapped' || range === 'rfc6052') return ipv4Of(bytes.slice(12));
  if (range === '6to4') return ipv4Of(bytes.slice(2, 6));
  return address;
}

function ipv4Of(bytes: number[]): IPv4 {
  return new ipaddr.IPv4(bytes);
}

function isIPv4(address: IPv4 | IPv6): address is IPv4 {
  return address.kind() === 'ipv4';
}

function isPublicIPv4(address: IPv4): boolean {
  return address.range() === 'unicast' && !CLOUD.has(address.toString());
}

function isPublicIPv6(address: IPv6): boolean {
  const [, , , , high = 0, low = 0] = address.parts;
  if (ISATAP.includes(high * 65_536 + low)) return false;
  return address.match(GLOBAL) && !SPECIAL.some((block) => address.match(block));
}

function isOfThisMachine(address: IPv4 | IPv6): boolean {
  const text = address.toNormalizedString();
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => ipaddr.parse(own.address.split('%', 1)[0]!).toNormalizedString() === text),
  );
}
