/**
 * What orders, carts and tills leave behind, written from the documents alone: it imports nothing of the service. A world is a value, so a
 * call that may have come before or after another one gives two of them.
 */

export type Status = 'open' | 'paid' | 'cancelled';

/** What a shop says of an order. */
export interface State {
  readonly order: string;
  readonly version: number;
  readonly status: Status;
  readonly paid: number;
  readonly refunded: number;
  readonly codes: readonly number[];
  /** The cart that the order was; undefined if it says none. */
  readonly cart?: string | undefined;
}

export type Event =
  | { readonly does: 'put'; readonly state: State }
  | { readonly does: 'hold'; readonly cart: string; readonly code: number }
  | { readonly does: 'sell'; readonly code: number };

interface CodeOfOrder {
  readonly code: number;
  readonly state: string;
  readonly reason: string | null;
}

interface OrderOfWorld {
  readonly said: State;
  /** What counts in the books; null before a purchase. */
  readonly kept: number | null;
  readonly codes: readonly CodeOfOrder[];
}

export interface World {
  readonly orders: Readonly<Record<string, OrderOfWorld>>;
  /** Who has used a code: an order, or the till. Codes that nobody has used are missing. */
  readonly used: Readonly<Record<number, string>>;
  /** Which order or cart holds a code. */
  readonly held: Readonly<Record<number, string>>;
  /** The codes that an order has used, with whether that was undone. */
  readonly redemptions: Readonly<
    Record<string, readonly { readonly code: number; readonly undone: boolean }[]>
  >;
}

export const EMPTY: World = { orders: {}, used: {}, held: {}, redemptions: {} };

/** Currency units for a point. */
export const MONEY_PER_POINT = 3;

/** Returns the world after something happened. */
export function after(world: World, event: Event): World {
  if (event.does === 'put') return said(world, event.state);
  return event.does === 'sell' ? sold(world, event.code) : heldFor(world, event.cart, event.code);
}

/** A cart holds a code that nobody has used and nobody else holds. */
function heldFor(world: World, cart: string, code: number): World {
  if (whyNotHeld(world, cart, code) !== null) return world;
  return { ...world, held: { ...world.held, [code]: cart } };
}

/** A till uses a code that nobody has used, whoever holds it. */
function sold(world: World, code: number): World {
  if (world.used[code] !== undefined) return world;
  return { ...world, used: { ...world.used, [code]: 'till' }, held: without(world.held, code) };
}

function said(world: World, state: State): World {
  const before = world.orders[state.order];
  if (before !== undefined && state.version <= before.said.version) return world;
  const named = state.status === 'cancelled' ? [] : state.codes;
  const known = before === undefined ? [] : codesNow(world, state.order);
  const all = [...new Set([...known.map(({ code }) => code), ...named])].toSorted((a, b) => a - b);
  let next = world;
  for (const code of named)
    if (state.cart !== undefined && world.held[code] === state.cart && !isUsed(known, code))
      next = { ...next, held: { ...next.held, [code]: state.order } };
  const codes: CodeOfOrder[] = [];
  const uses: number[] = [];
  for (const code of all) {
    const is = known.find((one) => one.code === code);
    if (!named.includes(code)) {
      if (is!.state === 'held') {
        next = { ...next, held: without(next.held, code) };
        codes.push({ code, state: 'released', reason: null });
      } else if (is!.state === 'used') {
        next = restored(next, state.order, code);
        codes.push({ code, state: 'restored', reason: null });
      } else if (is!.state !== 'refused') codes.push(is!);
    } else if (is?.state === 'used') codes.push({ code, state: 'used', reason: null });
    else if (state.status === 'paid') uses.push(code);
    else {
      const reason = whyNotHeld(next, state.order, code);
      if (reason === null) next = { ...next, held: { ...next.held, [code]: state.order } };
      codes.push({ code, state: reason === null ? 'held' : 'refused', reason });
    }
  }
  for (const code of uses) {
    const reason = whyNotUsed(next, state.order, code);
    codes.push({ code, state: reason === null ? 'used' : 'refused', reason });
  }
  for (const { code, state: is } of codes)
    if (uses.includes(code) && is === 'used') next = use(next, state.order, code);
  const isPurchase = (before?.kept ?? null) !== null || (state.status === 'paid' && state.paid > 0);
  const counts =
    state.status === 'cancelled' ? 0 : state.status === 'paid' ? state.paid - state.refunded : null;
  const order = {
    said: state,
    kept: isPurchase ? (counts ?? before!.kept) : null,
    codes: codes.toSorted((a, b) => a.code - b.code),
  };
  return { ...next, orders: { ...next.orders, [state.order]: order } };
}

function isUsed(codes: readonly CodeOfOrder[], code: number): boolean {
  return codes.some((one) => one.code === code && one.state === 'used');
}

function whyNotHeld(world: World, order: string, code: number): string | null {
  if (world.used[code] !== undefined) return 'benefit_used';
  return (world.held[code] ?? order) === order ? null : 'held';
}

function whyNotUsed(world: World, order: string, code: number): string | null {
  if ((world.held[code] ?? order) !== order) return 'held';
  const redemptions = world.redemptions[order] ?? [];
  const allUndone = redemptions.length > 0 && redemptions.every(({ undone }) => undone);
  if (allUndone || redemptions.some((one) => one.code === code && one.undone)) return 'undone';
  return world.used[code] === undefined ? null : 'benefit_used';
}

function use(world: World, order: string, code: number): World {
  const redemptions = [...(world.redemptions[order] ?? []), { code, undone: false }];
  return {
    ...world,
    used: { ...world.used, [code]: order },
    held: without(world.held, code),
    redemptions: { ...world.redemptions, [order]: redemptions },
  };
}

function restored(world: World, order: string, code: number): World {
  const redemptions = world.redemptions[order]!.map((one) =>
    one.code === code ? { code, undone: true } : one,
  );
  return {
    ...world,
    used: without(world.used, code),
    redemptions: { ...world.redemptions, [order]: redemptions },
  };
}

function without<T>(record: Readonly<Record<number, T>>, code: number): Readonly<Record<number, T>> {
  const { [code]: _gone, ...rest } = record;
  return rest;
}

/** The codes of an order as a look-up shows them: a hold may have ended since. */
function codesNow(world: World, order: string): CodeOfOrder[] {
  return world.orders[order]!.codes.map((one) => {
    if (one.state !== 'held' || world.held[one.code] === order) return one;
    return {
      ...one,
      state: 'released',
      reason: world.used[one.code] === undefined ? null : 'benefit_used',
    };
  });
}

/** What a shop can see of a world. */
export interface Seen {
  readonly orders: Readonly<Record<string, object>>;
  /** The codes that nobody has used. */
  readonly free: readonly number[];
  readonly points: number;
}

export function seenOf(world: World, codes: readonly number[]): Seen {
  const orders = Object.entries(world.orders).map(
    ([
      name,
      {
        said: { version, status },
        kept,
      },
    ]) => [
      name,
      {
        status,
        version,
        points: pointsFor(kept),
        purchase: kept === null ? 'none' : 'recorded',
        codes: codesNow(world, name),
      },
    ],
  );
  const points = Object.values(world.orders).reduce((sum, { kept }) => sum + pointsFor(kept), 0);
  return {
    orders: Object.fromEntries(orders) as Record<string, object>,
    free: codes.filter((code) => world.used[code] === undefined),
    points,
  };
}

function pointsFor(kept: number | null): number {
  return Math.floor((kept ?? 0) / MONEY_PER_POINT);
}
