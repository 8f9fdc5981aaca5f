import type { KeyScope } from '#http/key-scopes.ts';
import type { StaffRole } from '#http/staff-roles.ts';

/** What a write did, for the audit. Personal values of members and free text belong in `personal`, which erasure deletes. */
export interface AuditEntry {
  /** An area and a verb, such as `points.adjust`. */
  readonly action: string;
  readonly memberId?: number | null;
  /** The movement that the write stored. A line of the history finds by it who caused it. */
  readonly movementId?: number | null;
  /** What it was done to, if that is no member: a code, a purchase, a person of the staff. */
  readonly subject?: string | null;
  readonly before?: Readonly<Record<string, unknown>> | null;
  readonly after?: Readonly<Record<string, unknown>> | null;
  readonly personal?: {
    readonly before?: Readonly<Record<string, unknown>> | null;
    readonly after?: Readonly<Record<string, unknown>> | null;
    readonly reason?: string | null;
  };
}

/**
 * What a use case of the back office returns: its answer, and what the audit says about it. `entry` is null if nothing was
 * changed, as when an idempotency key is repeated. The transaction is then rolled back.
 */
export interface Audited<T> {
  readonly answer: T;
  readonly entry: AuditEntry | null;
}

/** Who writes. `needed` is the lowest role that may or, for a key of the contract, the scope that it must have. */
export type Actor = { readonly commerceId: number } & (
  | {
      readonly kind: 'staff';
      readonly staffId: number;
      readonly sessionId: number;
      readonly needed: StaffRole;
      readonly network: string;
    }
  | {
      readonly kind: 'key';
      readonly keyId: number;
      readonly needed: StaffRole | { readonly scope: KeyScope };
      readonly network: string;
    }
  /** `user` is the user of the operating system. */
  | { readonly kind: 'command_line'; readonly user: string }
);
