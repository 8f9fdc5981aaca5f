import type { StaffRole } from '#http/staff-role.ts';

/** The audit entry of a write. Personal values of members and free text belong in `personal`, which erasure deletes. */
export interface AuditEntry {
  /** An area and a verb, such as `points.adjust`. */
  readonly action: string;
  readonly memberId?: number | null;
  /** The movement that the write stored. A line of the history finds by it who caused it. */
  readonly movementId?: number | null;
  /** The subject of the write, if it is not a member: a code, a purchase, a person of the staff. */
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
 * The result of a use case of the back office: its answer, and its audit entry. `entry` is null if nothing was changed, as when an
 * idempotency key is repeated. The transaction is then rolled back.
 */
export interface Audited<T> {
  readonly answer: T;
  readonly entry: AuditEntry | null;
}

/** The writer. `needed` is the lowest role that may. */
export type Actor = { readonly commerceId: number } & (
  | {
      readonly kind: 'staff';
      readonly staffId: number;
      readonly sessionId: number;
      readonly needed: StaffRole;
      readonly network: string;
    }
  | { readonly kind: 'key'; readonly keyId: number; readonly needed: StaffRole; readonly network: string }
  /** `user` is the user of the operating system. */
  | { readonly kind: 'command_line'; readonly user: string }
);
