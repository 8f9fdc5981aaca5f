/**
 * The limits that protect the service as a whole, by the name that metrics and alerts use. `docs/operations.md` has one
 * line for each.
 */
export const CAPS = [
  'calls-of-a-commerce',
  'codes-of-a-mailbox',
  'invitations-of-a-commerce',
  'sign-in-calls-of-a-network',
  'sign-in-failures-of-a-commerce',
  'sign-in-failures-of-a-network',
  'sign-in-failures-of-an-address',
  'sign-in-failures-of-the-installation',
  'sign-in-mails-of-a-commerce',
  'sign-in-mails-of-a-network',
  'sign-in-mails-of-the-installation',
  'calls-of-a-key',
  'calls-of-a-member',
  'calls-of-a-network',
  'calls-of-the-staff',
  'undos-of-a-key',
  'files-of-a-network',
  'failed-credentials',
  'sockets',
  'sockets-of-a-network',
  'pipelined-calls',
  'unread-answers',
  'unread-bytes',
] as const;

export type CapName = (typeof CAPS)[number];

/** Counts how often each cap refused something in this process, for the operator's metrics. */
export interface Caps {
  /** Notes that a cap refused something. */
  refused(name: CapName): void;
  /** Returns how often each cap refused something since the process started. */
  counts(): ReadonlyMap<CapName, number>;
}

export function createCaps(): Caps {
  const counts = new Map<CapName, number>(CAPS.map((name) => [name, 0]));
  return {
    refused: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    counts: () => counts,
  };
}
