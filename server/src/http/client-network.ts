import { isIPv6 } from 'node:net';

/**
 * The network that a client calls from, as far as one person can choose addresses in it: an IPv4 address, or the
 * /64 of an IPv6 address. The address is the one that the trusted proxies saw.
 */
export function clientNetwork(address: string): string {
  const [ip = ''] = address.split('%', 1);
  if (!isIPv6(ip)) return ip.slice(0, 64);
  const groups = groupsOf(ip);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return ipv4(groups[6]!, groups[7]!);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address, however it is written. */
function groupsOf(ip: string): number[] {
  // The URL parser knows every way of writing one, and writes it in one way, without dots.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const left = numbers(head);
  const right = numbers(tail ?? '');
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function numbers(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function ipv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
