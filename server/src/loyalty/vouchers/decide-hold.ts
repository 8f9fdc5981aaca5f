import { Problem } from '#problems/problem.ts';
import type { Hold } from './holds.ts';

/** Another cart holds the code. A till may use it all the same. */
export class HeldByAnotherCart extends Problem {
  constructor() {
    super(409, 'held', 'another cart holds this code: wait until it lets go, or use another code');
  }
}

/** So many codes of one member can be in carts at once. Nobody needs more, and somebody could keep all from being shown. */
export const MOST_HOLDS = 20;

export class TooManyHolds extends Problem {
  constructor() {
    super(409, 'too_many_holds', `carts hold ${MOST_HOLDS} codes of this member already: release one first`);
  }
}

/** What a cart asks for. */
export interface HoldWanted {
  readonly commerceId: number;
  readonly code: number;
  readonly externalId: string;
  readonly memberId: number;
  readonly minutes: number;
}

/**
 * Decides until when a cart holds a code. Asking again extends the hold, but not for ever: a cart that never pays lets go in the
 * end. It is never cut short.
 * @param held what carts hold of the member now
 * @throws HeldByAnotherCart, TooManyHolds
 */
export function decideHold(
  { minutes, ...wanted }: HoldWanted,
  held: readonly Hold[],
  now: Date,
  holdMinutes: number,
): Hold {
  const current = held.find(({ code }) => code === wanted.code);
  if (current !== undefined && current.externalId !== wanted.externalId) throw new HeldByAnotherCart();
  if (current === undefined && held.length >= MOST_HOLDS) throw new TooManyHolds();
  const heldAt = current?.heldAt ?? now;
  const longest = Math.min(LONGEST_IN_HOLDS * holdMinutes * MINUTE_MS, LONGEST_MS);
  const end = Math.min(now.getTime() + minutes * MINUTE_MS, heldAt.getTime() + longest);
  return { ...wanted, heldAt, expiresAt: new Date(Math.max(end, current?.expiresAt.getTime() ?? end)) };
}

const MINUTE_MS = 60_000;
/** Counted from when the cart first held the code. */
const LONGEST_IN_HOLDS = 4;
const LONGEST_MS = 7 * 24 * 60 * MINUTE_MS;
