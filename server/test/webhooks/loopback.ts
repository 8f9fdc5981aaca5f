import type { AddressRules } from '#webhooks/webhook-address.ts';

/** The rules of a machine that tries webhooks out. */
export const LOOPBACK: AddressRules = { ports: [443, 8443], ownHosts: [], loopback: true };
