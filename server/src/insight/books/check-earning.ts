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
import { checkPrice } from './check-prices.ts';
import type { History, Movement, Report, Snapshot } from './history.ts';
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
    for (const movement of history.movements) {
      if (movement.type !== 'purchase') {
        checkPrice(movement, programs, report);
        continue;
      }
      judge('a purchase earned what its rule gives', movement, report, () =>
        wrongPurchase(movement, ruleOf(movement.snapshot)),
      );
      judge('a purchase followed the program of its version', movement, report, () =>
        offProgram(movement, ruleOf(movement.snapshot), programs),
      );
    }
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
    const figures = figuresBy(rule.factors, BigInt(amount));
    const isAsKept = rule.factors.every((step, i) => BigInt(step[1]) === figures[i]);
    earned = isAsKept ? figure(figures.at(-1)!) : null;
    rule.earned.set(amount, earned);
  }
  const had = rule.snapshot.waits === undefined ? earned : 0;
  if (amount > 0 && purchases === 1 && pointsEarned === earned && points === had) return null;
  const figures = figuresBy(rule.factors, BigInt(amount));
  return `${amount} spent earns ${told(rule.factors, figures)}, and it has ${pointsEarned}, ${points} on the balance, kept as ${told(rule.factors)}`;
}

/** Returns, for example, `money 17, double 34`. */
function told(factors: readonly Step[], figures?: readonly bigint[]): string {
  return factors.map(([kind, points], i) => `${kind} ${figures?.[i] ?? points}`).join(', ');
}

function offProgram(movement: Movement, rule: Rule, programs: Programs): string | null {
  const { snapshot, tier, factors, followed } = rule;
  const program = programs.get(snapshot.rule);
  if (program === undefined) return `made by version ${snapshot.rule} of the program, which cannot be read`;
  const purchase = factsOf(movement);
  const seen = program.factors.see({ ...purchase, tier });
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
export function factsOf({ amount, at, branchId, registerId }: Movement): PurchaseFacts {
  return {
    amount: Number(amount ?? Number.NaN),
    at: new Date(at),
    branchId: branchId === null ? null : Number(branchId),
    registerId: registerId === null ? null : Number(registerId),
  };
}

/** A purchase with its corrections and returns so far. */
interface Rest {
  readonly rule: StoredSnapshot;
  /** The rest of its amount and points. */
  kept: Figure;
  earned: Figure;
}

function checkReturns({ movements }: History, report: Report): void {
  if (!movements.some(({ type }) => type === 'reversal' || type === 'correction')) return;
  const rests = new Map<number, Rest>();
  for (const movement of movements) {
    const { id, type, amount, pointsEarned, snapshot, reversesId } = movement;
    if (type === 'purchase')
      rests.set(id, { rule: snapshot as unknown as StoredSnapshot, kept: amount ?? 0, earned: pointsEarned });
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

/** After each correction, the purchase must have earned what its rule gives for all that counts of it. */
function wrongGrowth(movement: Movement, rest: Rest | undefined): string | null {
  const { points, pointsEarned, purchases, reversesId } = movement;
  if (rest === undefined) return `it corrects ${reversesId}, which is no earlier purchase of this person`;
  const amount = movement.amount ?? 0;
  const wasGone = rest.kept === 0;
  rest.kept = add(rest.kept, amount);
  rest.earned = add(rest.earned, pointsEarned);
  const { kept, earned } = rest;
  const earns = figure(figuresBy(factorsOf(rest.rule, null), BigInt(kept)).at(-1)!);
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
  const earns = figure(figuresBy(factorsOf(rest.rule, null), BigInt(kept)).at(-1)!);
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
