/**
 * Recomputes the points of purchases and returns from the snapshots in the ledger. Many purchases have the same snapshot, so what
 * follows from a snapshot alone is computed once.
 */
import { add, figure, type Figure } from '#db/copy-out.ts';
import { factorsOf } from '#points/factors-of.ts';
import type { Step } from '#points/points-for-purchase.ts';
import type { PurchaseFacts } from '#points/purchase-facts.ts';
import type { Program } from '#program/program.ts';
import type { StoredSnapshot } from '#purchases/decide-purchase.ts';
import type { CorrectionSnapshot } from '#purchases/decide-growth.ts';
import type { ReversalSnapshot } from '#purchases/decide-reversal.ts';
import { figuresBy } from './check-factors.ts';
import { withoutPart, type CheckedPart, type RuledPurchase } from './check-rules.ts';
import { checkRemainder, followRemainder, type FollowedRemainder } from './check-remainder.ts';
import { followStamps } from './check-stamps.ts';
import { checkPrice } from './check-prices.ts';
import type { History, Movement, Report, Snapshot } from './history.ts';
import { followPurchases } from './past-purchases.ts';
import type { Programs } from './read-programs.ts';

/** Checks the purchases and returns of one person after another. */
export type EarningCheck = (history: History, report: Report) => void;

export function createEarningCheck(programs: Programs): EarningCheck {
  const rules = new WeakMap<NonNullable<Snapshot>, Rule>();
  const ruleOf = (snapshot: Snapshot): Rule => {
    if (snapshot === null) throw new TypeError('there are none');
    const rule = rules.get(snapshot) ?? createRule(snapshot as unknown as StoredSnapshot, programs);
    rules.set(snapshot, rule);
    return rule;
  };
  return (history, report) => {
    const buyer = followBuyer(history);
    const stamps = followStamps(history, programs);
    for (const movement of history.movements) {
      if (movement.type === 'purchase') {
        judge('a purchase earned what its rule gives', movement, report, () =>
          wrongPurchase(movement, ruleOf(movement.snapshot)),
        );
        judge('a purchase followed the program of its version', movement, report, () =>
          offProgram(movement, ruleOf(movement.snapshot), programs, buyer),
        );
      } else checkPrice(movement, programs, report);
      const before = () =>
        buyer.before(movement, factsOf(movement), ruleOf(movement.snapshot).tier?.id ?? null);
      stamps.pass(movement, before, report);
      buyer.pass(movement);
    }
    stamps.end(report);
    checkRemainder(history, buyer.remainder(), report);
    checkReturns(history, report);
  };
}

/** A row that was altered so badly that it cannot be read is a finding too. */
function judge(invariant: string, { id }: Movement, report: Report, findWrong: () => string | null): void {
  let says: string | null;
  try {
    says = findWrong();
  } catch (error) {
    says = `the stored inputs of its computation cannot be read: ${(error as Error).message}`;
  }
  if (says !== null) report(invariant, id, says);
}

/** The rule in a snapshot, and the figures that were computed from it. */
interface Rule {
  readonly snapshot: StoredSnapshot;
  readonly tier: Program['levels']['ladder'][number] | undefined;
  readonly factors: readonly Step[];
  /** The points for an amount; null if the snapshot says something else. */
  readonly earned: Map<Figure, Figure | null>;
  /** The checks' observations of purchases whose factors are those of the program. */
  readonly followed: Set<string>;
}

function createRule(snapshot: StoredSnapshot, programs: Programs): Rule {
  const tier = tierOf(snapshot, programs);
  const factors = factorsOf(snapshot, tier?.name ?? null);
  return { snapshot, tier, factors, earned: new Map(), followed: new Set() };
}

/** If the member's rank was no longer in the program, the highest rank below it counts. */
function tierOf({ rule, tier }: StoredSnapshot, programs: Programs) {
  const ladder = programs.get(rule)?.ladder ?? [];
  return tier === null ? undefined : ladder[Math.min(tier, ladder.length) - 1];
}

function wrongPurchase(movement: Movement, rule: Rule): string | null {
  const { points, pointsEarned, purchases } = movement;
  const amount = movement.amount ?? Number.NaN;
  let earned = rule.earned.get(amount);
  if (earned === undefined) {
    const figures = figuresBy(rule.factors, partOf(amount, rule.snapshot));
    const isAsKept = rule.factors.every((step, i) => BigInt(step[1]) === figures[i]);
    earned = isAsKept ? figure(figures.at(-1)!) : null;
    rule.earned.set(amount, earned);
  }
  const had = rule.snapshot.waits === undefined ? earned : 0;
  if (amount > 0 && purchases === 1 && pointsEarned === earned && points === had) return null;
  const figures = figuresBy(rule.factors, partOf(amount, rule.snapshot));
  return `${amount} spent earns ${told(rule.factors, figures)}, and it has ${pointsEarned}, ${points} on the balance, kept as ${told(rule.factors)}`;
}

/** Returns, for example, `money 17, double 34`. */
function told(factors: readonly Step[], figures?: readonly bigint[]): string {
  return factors.map(([kind, points], i) => `${kind} ${figures?.[i] ?? points}`).join(', ');
}

/** Reads what counts of the lines of a snapshot; without lines the whole amount is one. @throws TypeError if they do not add up */
function partOf(amount: Figure, { lines }: { readonly lines?: unknown }): CheckedPart {
  const whole = BigInt(amount);
  if (lines === undefined) return { amount: whole, lines: [[whole, 1n]] };
  const read = (lines as readonly [number, number][]).map(
    ([of, units]) => [BigInt(of), BigInt(units)] as const,
  );
  const sum = read.reduce((all, [of]) => all + of, 0n);
  if (sum !== whole || read.some(([of, units]) => of < 0n || units < 0n))
    throw new TypeError(`its lines are ${sum} together, and it counts as ${whole}`);
  return { amount: whole, lines: read };
}

function offProgram(movement: Movement, rule: Rule, programs: Programs, buyer: FollowedBuyer): string | null {
  const { snapshot, tier, factors, followed } = rule;
  const program = programs.get(snapshot.rule);
  if (program === undefined) return `made by version ${snapshot.rule} of the program, which cannot be read`;
  const purchase = factsOf(movement);
  const ruled = buyer.before(movement, purchase, tier?.id ?? null);
  const wrong = program.wrongUse(snapshot, factors) ?? wrongLines(purchase, snapshot);
  if (wrong !== null) return `made at ${purchase.at.toISOString()}: ${wrong}`;
  const seen = program.factors.see({ ...purchase, tier, ruled });
  const key = seen.join('\n');
  if (followed.has(key)) return null;
  const off = program.factors.off(factors, seen);
  if (off.length === 0) {
    if (followed.size === MOST_FOLLOWED) followed.clear();
    followed.add(key);
    return null;
  }
  return `made at ${purchase.at.toISOString()} by version ${snapshot.rule} of the program, which differs in: ${off.join(', ')}`;
}

/** Each snapshot has its own. */
const MOST_FOLLOWED = 1_000;

/** Returns what is known of a purchase of the ledger. */
export function factsOf({ amount, at, branchId, registerId, snapshot, lines }: Movement): PurchaseFacts {
  const channel = snapshot?.['channel'];
  return {
    amount: Number(amount ?? Number.NaN),
    at: new Date(at),
    branchId: branchId === null ? null : Number(branchId),
    registerId: registerId === null ? null : Number(registerId),
    channel: typeof channel === 'string' ? channel : null,
    lines,
  };
}

/** The lines that are kept must be those of the snapshot. Both may be altered, and only one of them is sealed. */
function wrongLines({ lines }: PurchaseFacts, snapshot: StoredSnapshot): string | null {
  if (lines === null) return null;
  const kept = lines.map(({ amount, units }) => [amount, units ?? 1]);
  return 'factors' in snapshot && JSON.stringify(kept) === JSON.stringify(snapshot.lines)
    ? null
    : 'its stored lines are not those that it was computed from';
}

/** What rules ask about a buyer, purchase by purchase. */
interface FollowedBuyer {
  before(movement: Movement, purchase: PurchaseFacts, level: string | null): RuledPurchase;
  pass(movement: Movement): void;
  remainder(): FollowedRemainder | null;
}

function followBuyer({ joinedAt }: History): FollowedBuyer {
  const past = followPurchases();
  let purchases = 0;
  const remainder = followRemainder();
  return {
    remainder: () => remainder.now(),
    before: (movement, { at, ...purchase }, level) => ({
      ...purchase,
      at: at.getTime(),
      arrived: (movement.snapshot?.['arrived'] as number | undefined) ?? null,
      count: (movement.snapshot?.['lines'] as unknown[] | undefined)?.length ?? null,
      level,
      purchases,
      joinedAt,
      remainder: remainder.now(),
      past,
    }),
    pass(movement) {
      const { id, type, at, amount, pointsEarned, purchases: more, reversesId, snapshot } = movement;
      remainder.pass(movement);
      purchases += Number(more);
      if (type === 'purchase') {
        const used = snapshot?.['used'];
        const names = Array.isArray(used) ? (used as string[]) : [];
        past.purchase(id, at, names, amount ?? 0, pointsEarned);
      }
      past.change(reversesId ?? 0, amount ?? 0, pointsEarned);
    },
  };
}

/** A purchase with its corrections and returns so far. */
interface Rest {
  readonly rule: StoredSnapshot;
  /** The rest of its amount and points. */
  kept: Figure;
  earned: Figure;
  /** What is left of its lines. */
  part: CheckedPart;
}

function checkReturns({ movements }: History, report: Report): void {
  if (!movements.some(({ type }) => type === 'reversal' || type === 'correction')) return;
  const rests = new Map<number, Rest>();
  for (const movement of movements) {
    const { id, type, amount, pointsEarned, snapshot, reversesId } = movement;
    if (type === 'purchase')
      rests.set(id, {
        rule: snapshot as unknown as StoredSnapshot,
        kept: amount ?? 0,
        earned: pointsEarned,
        part: lineSafe(amount ?? 0, snapshot),
      });
    else if (type === 'correction')
      judge('a correction gave what its purchase earns on more', movement, report, () =>
        wrongGrowth(movement, rests.get(reversesId ?? 0)),
      );
    else if (type === 'reversal')
      judge('a return took back what its purchase earned', movement, report, () =>
        wrongReturn(movement, rests.get(reversesId ?? 0)),
      );
  }
}

/** A purchase that cannot be read is a finding of its own. */
function lineSafe(amount: Figure, snapshot: Snapshot): CheckedPart {
  try {
    return partOf(amount, snapshot ?? {});
  } catch {
    return partOf(amount, {});
  }
}

/** Reads what a return or a correction left of the lines. @throws TypeError if that is not what it had to leave */
function partAfter({ amount, snapshot }: Movement, rest: Rest): CheckedPart {
  const part = partOf(rest.kept, snapshot ?? {});
  const hasLines = (rest.rule as { lines?: unknown }).lines !== undefined;
  if (hasLines !== (snapshot?.['lines'] !== undefined))
    throw new TypeError('it does not say what is left of the lines');
  const back = 0n - BigInt(amount ?? 0);
  if (!hasLines || back < 0n) return part;
  const isLess = part.lines.every(
    ([of, units], i) => of <= rest.part.lines[i]![0] && units <= rest.part.lines[i]![1],
  );
  if (snapshot?.['byLines'] === true) {
    if (!isLess) throw new TypeError('a line became more by a return');
    return part;
  }
  const whole = partOf(Number(sumOf(rest.rule)), rest.rule).lines;
  const expected = withoutPart(rest.part.lines, whole, back);
  const isRight = expected.every(
    ([of, units], i) => of === part.lines[i]?.[0] && units === part.lines[i]?.[1],
  );
  if (!isRight) throw new TypeError('it did not come back from the lines in proportion');
  return part;
}

function sumOf(rule: StoredSnapshot): bigint {
  const lines = (rule as { lines?: readonly (readonly [number, number])[] }).lines ?? [];
  return lines.reduce((sum, [amount]) => sum + BigInt(amount), 0n);
}

/** After each correction, the purchase must have earned what its rule gives for all that counts of it. */
function wrongGrowth(movement: Movement, rest: Rest | undefined): string | null {
  const { points, pointsEarned, purchases, reversesId } = movement;
  if (rest === undefined) return `it corrects ${reversesId}, which is no earlier purchase of this person`;
  const amount = movement.amount ?? 0;
  const wasGone = rest.kept === 0;
  rest.kept = add(rest.kept, amount);
  rest.earned = add(rest.earned, pointsEarned);
  const { kept, earned } = rest;
  rest.part = partAfter(movement, rest);
  const earns = figure(figuresBy(factorsOf(rest.rule, null), rest.part).at(-1)!);
  const { waits } = movement.snapshot as unknown as CorrectionSnapshot;
  const isRight =
    amount > 0 &&
    earned === earns &&
    points === (waits === undefined ? pointsEarned : 0) &&
    purchases === (wasGone ? 1 : 0);
  if (isRight) return null;
  return `it makes ${kept} of purchase ${reversesId}, which would have earned ${earns}; it has ${earned}, ${points} on the balance`;
}

/** After each return, the purchase must have earned what its rule gives for the rest of its amount. */
function wrongReturn(movement: Movement, rest: Rest | undefined): string | null {
  const { points, pointsEarned, purchases, reversesId } = movement;
  if (rest === undefined) return `it returns ${reversesId}, which is no earlier purchase of this person`;
  const amount = movement.amount ?? 0;
  rest.kept = add(rest.kept, amount);
  rest.earned = add(rest.earned, pointsEarned);
  const { kept, earned } = rest;
  const snapshot = movement.snapshot as unknown as ReversalSnapshot;
  rest.part = partAfter(movement, rest);
  const earns = figure(figuresBy(factorsOf(rest.rule, null), rest.part).at(-1)!);
  const forgiven = snapshot.forgiven.reduce<Figure>((sum, [, , points]) => add(sum, points), 0);
  const owed = add(add(pointsEarned, forgiven), snapshot.waited ?? 0);
  const isRight =
    (amount < 0 || (amount === 0 && (snapshot.cents ?? 0) > 0)) &&
    kept >= 0 &&
    earned === earns &&
    purchases === (kept === 0 ? -1 : 0) &&
    (snapshot.policy === 'clamp' ? owed <= points && points <= 0 : points === owed);
  if (isRight) return null;
  return `it leaves ${kept} of purchase ${reversesId}, which would have earned ${earns}; left are ${earned}, ${points} on the balance`;
}
