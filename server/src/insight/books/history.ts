/** The books of one person, as the checks read them. */
import type { Figure } from '#db/copy-out.ts';
import type { Line } from '#points/line.ts';
import type { SealedColumns } from '#seals/write-leaf.ts';

export interface History {
  readonly commerceId: number;
  readonly memberId: number;
  /** The stored lifetime figures; null if there is no such member. */
  readonly stored: Lifetime | null;
  /** The stored tier; null if there is no such member, or no tier. */
  readonly tier: HeldTier | null;
  /** When the person joined for the first time, in milliseconds; null if they have not. */
  readonly joinedAt: number | null;
  /** Whether the person was erased. */
  readonly isErased: boolean;
  /** The stored money that waits for the next purchase; null if there is none. */
  readonly remainder: { readonly thousandths: Figure; readonly since: number } | null;
  /** The stored day of the last purchase or exchange. */
  readonly movedOn: string | null;
  /** The stored points by day. */
  readonly held: readonly Lot[];
  /** The stored points that wait. */
  readonly pending: readonly Pending[];
  /** The stored cards that purchases stamp, and the full ones. */
  readonly cards: readonly StoredCard[];
  readonly full: readonly StoredFull[];
  /** The sums of the movements that are sealed; null if none are. */
  readonly sealed: Sums | null;
  /** In the order of their ids. */
  readonly movements: readonly Movement[];
}

export interface Lifetime {
  readonly points: Figure;
  readonly amount: Figure;
  readonly purchases: Figure;
}

export interface HeldTier {
  readonly id: string | null;
  readonly isPinned: boolean;
  /** By the rules, if the tier is pinned. */
  readonly beneath: string | null;
}

export interface Sums {
  readonly movements: Figure;
  readonly points: Figure;
  readonly pointsEarned: Figure;
  readonly amount: Figure;
  readonly purchases: Figure;
}

export interface Movement extends SealedColumns {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly split: Split;
  readonly snapshot: Snapshot;
  readonly reversesId: number | null;
  /** The lines of a purchase as the shop said them; null if it said none, or if they were deleted. It may have been altered. */
  readonly lines: readonly Line[] | null;
}

/** What waits of a purchase. */
export interface Pending {
  readonly purchaseId: number;
  readonly points: Figure;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  readonly becomes: string;
}

/** The stamps on a card. */
export interface StoredCard {
  readonly stampId: string;
  readonly card: number;
  readonly have: number;
  readonly endsOn: string | null;
  /** Milliseconds since 1970. */
  readonly stampedAt: number | null;
  readonly filled: number;
  readonly ended: boolean;
}

export interface StoredFull {
  readonly stampId: string;
  readonly ordinal: number;
  readonly need: number;
  readonly purchaseId: number;
  /** Milliseconds since 1970; null if it was not taken back. */
  readonly takenAt: number | null;
  readonly benefit: string | null;
  readonly code: number | null;
}

/** Points by the last day on which they are valid. */
export interface Lot {
  readonly expiresOn: string;
  /** True if the day moves with each purchase and exchange. */
  readonly moving: boolean;
  readonly points: Figure;
  /** The day, and whether it moves. */
  readonly key: string;
}

/** The days of a movement. Movements with the same text share one object. */
export interface Split {
  readonly lots: readonly Lot[];
  readonly sum: Figure;
  /** Null if the days cannot be read; otherwise their text. */
  readonly unreadable: string | null;
}

/**
 * The stored inputs of a movement, of any release; null if it has none. Movements with the same text share one object, so it can be the
 * key of what follows from it. It may have been altered, so whoever uses it must not trust its type.
 */
export type Snapshot = Readonly<Record<string, unknown>> | null;

/** Tells of one place where an invariant does not hold. */
export type Report = (invariant: string, movementId: number | null, says: string) => void;

export function lotOf(expiresOn: string, moving: boolean, points: Figure): Lot {
  return { expiresOn, moving, points, key: moving ? `${expiresOn} (moving)` : expiresOn };
}
