import { isIPv6 } from 'node:net';

/**
 * Returns the network that a client calls from: an IPv4 address, or the /64 of an IPv6 address, since one person can
 * choose any address in a /64. The trusted proxies report the address.
 */
export function clientNetworkOf(address: string): string {
  const [ip = ''] = address.split('%', 1);
  if (!isIPv6(ip)) return ip.slice(0, 64);
  const groups = parseGroups(ip);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return formatIpv4(groups[6]!, groups[7]!);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
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
