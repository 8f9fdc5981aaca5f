import { InvalidRequest } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';
import { OrderCancelled } from '#purchases/orders-without-purchase.ts';
import type { Order, OrderCode, SaidOrder } from './order.ts';

/** The state contradicts what stands. The route adds that to the answer. */
export class OrderConflict extends Problem {
  #order: object | undefined;

  constructor(reason: string) {
    super(409, 'order_conflict', `the order is not so: ${reason}`);
  }

  /** The conflict with what stands, as the body shows it. */
  with(order: object): this {
    this.#order = order;
    return this;
  }

  override body(): object {
    return { ...super.body(), order: this.#order };
  }
}

/** A number above this is an instant in milliseconds. */
const FIRST_INSTANT = 1_000_000_000_000;
/** The clocks of a shop and of the service may be so far apart. */
export const CLOCKS_APART_MS = 5 * 60_000;

/** 422: a version that no state of the order could follow for years, or one of another kind than the first. */
class UnusableVersion extends InvalidRequest {
  constructor(hint: string) {
    super(
      [{ loc: ['body', 'version'], msg: 'Value error, not a version of this order', type: 'value_error' }],
      'invalid',
      hint,
    );
  }
}

/** What is paid for an order and stays so must not be below zero. */
export class RefundedTooMuch extends Problem {
  constructor() {
    super(400, 'invalid_amount', 'more is refunded than was paid: paid is what was paid before refunds');
  }
}

/** What to do about a code. */
export type CodeAct = 'hold' | 'use' | 'release' | 'restore';

/** A code whose state must change, or is to be tried again. */
export interface CodePlan {
  readonly code: number;
  readonly act: CodeAct;
}

export interface OrderPlan {
  /** What of the purchase must count, in whole currency units; null as long as nothing was paid. */
  readonly kept: number | null;
  /** What to do, by ascending code. */
  readonly acts: readonly CodePlan[];
  /** The codes that stay as they are. */
  readonly stay: readonly OrderCode[];
}

/** How a said state relates to what stands. */
export type Relation = 'first' | 'newer' | 'same' | 'older';

/**
 * Compares the version of a said state with what stands. A new version that is an instant must be one of now, since a later one would
 * make all that follow too old.
 * @throws UnusableVersion, OrderConflict if the version is the same and the content is not
 */
export function relate(
  stands: Order | null,
  said: Pick<SaidOrder, 'version' | 'content'>,
  now: Date,
): Relation {
  const { version, content } = said;
  const isInstant = version > FIRST_INSTANT;
  if (stands !== null && isInstant !== stands.version > FIRST_INSTANT)
    throw new UnusableVersion(
      'This order began with the other kind of version: go on with rising numbers, or with milliseconds.',
    );
  if (stands !== null && version < stands.version) return 'older';
  if (stands !== null && version === stands.version) {
    if (!content.equals(stands.content))
      throw new OrderConflict('this version was sent with another content; send a higher version');
    return 'same';
  }
  if (isInstant && Math.abs(version - now.getTime()) > CLOCKS_APART_MS)
    throw new UnusableVersion(
      'A version above 1000000000000 is read as milliseconds since 1970 and must be within five minutes of now.',
    );
  return stands === null ? 'first' : 'newer';
}

/**
 * Decides what a new state of an order changes. Codes are compared with what they are now: one that the till has used meanwhile, or whose
 * hold has ended, is tried again.
 * @throws OrderConflict, OrderCancelled, RefundedTooMuch
 */
export function decideOrder(stands: Order | null, said: SaidOrder): OrderPlan {
  if (said.refunded > said.paid) throw new RefundedTooMuch();
  if (stands !== null) {
    if (stands.status === 'cancelled' && said.status !== 'cancelled') throw new OrderCancelled();
    if (stands.status === 'paid' && said.status === 'open')
      throw new OrderConflict('it was paid, so it cannot be open again');
    if (said.refunded < stands.refunded)
      throw new OrderConflict(`${stands.refunded} were refunded, which cannot become less`);
    if (stands.paidAt !== null && said.paidAt !== null && said.paidAt.getTime() !== stands.paidAt.getTime())
      throw new OrderConflict(`it was paid at ${stands.paidAt.toISOString()}, which is fixed`);
  }
  const named = new Set(said.status === 'cancelled' ? [] : said.codes);
  const known = new Map(stands?.codes.map((one) => [one.code, one]));
  const acts: CodePlan[] = [];
  const stay: OrderCode[] = [];
  for (const code of [...new Set([...known.keys(), ...named])].toSorted((a, b) => a - b)) {
    const is = known.get(code);
    const act = named.has(code) ? wanted(said.status, is) : leftOut(is!);
    if (act !== null) acts.push({ code, act });
    else if (is !== undefined && (named.has(code) || is.state !== 'refused'))
      stay.push(named.has(code) ? { ...is, reason: null } : is);
  }
  return { kept: keptOf(said), acts, stay };
}

function wanted(status: SaidOrder['status'], is: OrderCode | undefined): CodeAct | null {
  if (is?.state === 'used') return null;
  return status === 'open' ? 'hold' : 'use';
}

/** A code that the order names no more. */
function leftOut({ state }: OrderCode): CodeAct | null {
  if (state === 'held') return 'release';
  return state === 'used' ? 'restore' : null;
}

function keptOf({ status, paid, refunded }: SaidOrder): number | null {
  if (status === 'open') return null;
  return status === 'paid' ? paid - refunded : 0;
}
