import { isIP } from 'node:net';

/** Returns true for an address that only this machine can reach: 127.0.0.0/8 or ::1, also written as IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return address.startsWith('127.');
  return family === 6 && /^(::1|::ffff:127\.\d+\.\d+\.\d+)$/i.test(address);
}

/** Returns true for the host of an address or of a `Host` header without its port. IPv6 may be in brackets. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopbackAddress(host.replace(/^\[(.*)\]$/, '$1'));
}
