/**
 * Checks the rules that involve more than one field of a program: tiers and rewards name benefits that exist and are of
 * their kind, thresholds rise, periods end after they begin. Parts with a fault of their own are skipped.
 */
import { nearestName } from './nearest-name.ts';
import type { Program, ProgramBenefit, ProgramProblem } from './program.ts';
import { writePath } from './write-path.ts';

type Path = ProgramProblem['path'];
type Report = (path: Path, message: string) => void;
type IsSound = (...path: Path) => boolean;

/**
 * `file` is the program with its defaults, `said` is the program without them, `known` are the problems found so far,
 * `broken` are the parts of the file that could not be read.
 */
export function checkAcrossFields(
  file: unknown,
  said: unknown,
  known: readonly ProgramProblem[],
  broken: readonly Path[] = [],
): ProgramProblem[] {
  const wrong = [...known.map(({ path }) => path), ...broken];
  const isSound = soundParts(wrong);
  if (wrong.some((path) => path.length === 0)) return [];
  const program = file as Program & { clock: string | null };
  const problems: ProgramProblem[] = [];
  const report: Report = (path, message) => problems.push({ path, message, at: 'value' });

  if (isSound('clock') && isSound('sandbox') && program.clock !== null && !program.sandbox)
    report(['clock'], 'must be left out unless sandbox is true: only a sandbox has a clock of its own');
  if (isSound('branches')) {
    checkIds(program.branches, ['branches'], isSound, report);
    program.branches.forEach(({ registers }, index) =>
      checkIds(registers, ['branches', index, 'registers'], isSound, report),
    );
  }
  if (isSound('earning')) checkEarning(program, isSound, report);
  if (isSound('points_expiration')) checkExpiration(program.points_expiration, report);
  if (isSound('levels', 'ladder')) {
    checkLadder(program.levels.ladder, report);
    checkIds(program.levels.ladder, ['levels', 'ladder'], isSound, report);
  }
  checkStamps(program, isSound, report);
  if (!Array.isArray(program.benefits)) return problems;
  program.benefits.forEach((benefit, index) => {
    if (isSound('benefits', index)) checkBenefit(benefit, said, ['benefits', index], report);
  });
  checkIds(program.benefits, ['benefits'], isSound, report);
  checkBytes(program.benefits, isSound, report);
  // A benefit that could not be read may be the one that is named.
  const mayHaveMore = broken.some(([part]) => part === 'benefits') || hidesBenefits(said, broken);
  if (!mayHaveMore) checkReferences(program, isSound, report);
  return problems;
}

/** Returns true if a text that is never closed swallowed the list of benefits. */
function hidesBenefits(said: unknown, broken: readonly Path[]): boolean {
  return (
    broken.length > 0 &&
    !Object.hasOwn(said as object, 'benefits') &&
    JSON.stringify(said).includes('benefits:')
  );
}

/** Returns a test for a part of the program: true if no problem is in the part itself, inside it or around it. */
function soundParts(known: readonly Path[]): IsSound {
  const wrong = new Set(known.map((path) => JSON.stringify(path)));
  const touched = new Set(
    known.flatMap((path) => path.map((_, end) => JSON.stringify(path.slice(0, end + 1)))),
  );
  return (...path) =>
    !touched.has(JSON.stringify(path)) &&
    !path.some((_, end) => wrong.has(JSON.stringify(path.slice(0, end))));
}

function checkEarning({ earning, levels }: Program, isSound: IsSound, report: Report): void {
  earning.double_points.forEach(({ from, to }, index) => {
    if (Date.parse(from) >= Date.parse(to))
      report(['earning', 'double_points', index, 'to'], `must be after from, which is ${from}, not ${to}`);
  });
  if (earning.pending !== null && isSound('earning', 'pending')) checkPending(earning.pending, report);
  checkIds(earning.rules, ['earning', 'rules'], isSound, report);
  checkRuleBytes(earning, report);
  earning.rules.forEach((rule, index) =>
    checkRule(rule, levels, isSound, ['earning', 'rules', index], report),
  );
  if (!isSound('levels', 'ladder')) return;
  const multiplier = Math.max(1, ...levels.ladder.map((tier) => tier.points_multiplier));
  const byRules = Math.max(1, ...earning.rules.map(({ give }) => give.multiply ?? 0));
  const added = earning.rules.reduce(
    (sum, { give }) => sum + (give.points ?? 0) * unitsOf(give.per),
    // What waits from before is less than one point.
    earning.carry_remainder ? Math.ceil(2 * multiplier) : 0,
  );
  const perUnit = (2 * multiplier * byRules) / earning.money_per_point;
  const highest = Math.floor((Number.MAX_SAFE_INTEGER - added) / perUnit);
  if (earning.max_amount > highest)
    report(
      ['earning', 'max_amount'],
      `must be at most ${highest}, not ${earning.max_amount}, or one purchase could earn more points than can be counted`,
    );
}

function checkPending(
  { days, until, cancel_after_days: cancelAfter }: NonNullable<Program['earning']['pending']>,
  report: Report,
): void {
  const path = ['earning', 'pending'];
  if ((days === null) === (until === null))
    report(path, 'must have either days, or until and cancel_after_days');
  else if (until !== null && cancelAfter === null)
    report([...path, 'cancel_after_days'], 'is required with until: a whole number from 1 to 366');
  else if (until === null && cancelAfter !== null)
    report([...path, 'cancel_after_days'], 'must be left out with days: nobody has to confirm the purchase');
}

/** The most units that the lines of one purchase have together. */
const MOST_UNITS = 100 * 999;

function unitsOf(per: 'unit' | null): number {
  return per === 'unit' ? MOST_UNITS : 1;
}

type ProgramRule = Program['earning']['rules'][number];

function checkRule(
  rule: ProgramRule,
  levels: Program['levels'],
  isSound: IsSound,
  path: Path,
  report: Report,
): void {
  const { from, to, give, when } = rule;
  if (from !== null && to !== null && Date.parse(from) >= Date.parse(to))
    report([...path, 'to'], `must be after from, which is ${from}, not ${to}`);
  if ((give.multiply === null) === (give.points === null))
    report([...path, 'give'], 'must have either multiply or points, one of the two');
  else if (give.per !== null && give.points === null)
    report([...path, 'give', 'per'], 'must be left out for a multiplier; only points are for each unit');
  checkConditions(when, levels, isSound, [...path, 'when'], report);
}

function checkStamps({ stamps, levels }: Program, isSound: IsSound, report: Report): void {
  if (!Array.isArray(stamps)) return;
  checkIds(stamps, ['stamps'], isSound, report);
  const bytes = Buffer.byteLength(JSON.stringify(stamps));
  if (bytes > MOST_BYTES_OF_STAMPS)
    report(['stamps'], `must come to at most ${MOST_BYTES_OF_STAMPS} bytes together, not ${bytes}`);
  stamps.forEach((one, index) => {
    const path = ['stamps', index, 'when'];
    if (isSound(...path)) checkConditions(one.when, levels, isSound, path, report);
  });
}

function checkConditions(
  when: ProgramRule['when'],
  levels: Program['levels'],
  isSound: IsSound,
  path: Path,
  report: Report,
): void {
  if (when.hours !== null && when.hours.from === when.hours.to)
    report([...path, 'hours', 'to'], `must be another time than from, not ${when.hours.to}`);
  if (!isSound('levels', 'ladder') || levels.ladder.some(({ id }) => id === null)) return;
  const known = levels.ladder.map(({ id }) => id!);
  when.levels.forEach((id, index) => {
    if (known.includes(id)) return;
    const near = nearestName(id, known);
    report(
      [...path, 'levels', index],
      `names ${id}, which is not the id of a tier${near ? `; did you mean ${near}?` : ' of this file'}`,
    );
  });
}

/** Every process keeps the rules of many commerces in memory. */
const MOST_BYTES_OF_RULES = 200_000;
const MOST_BYTES_OF_STAMPS = 50_000;

function checkRuleBytes({ rules, exclude }: Program['earning'], report: Report): void {
  const bytes = Buffer.byteLength(JSON.stringify([rules, exclude]));
  if (bytes > MOST_BYTES_OF_RULES)
    report(
      ['earning', 'rules'],
      `must come to at most ${MOST_BYTES_OF_RULES} bytes with exclude, not ${bytes}`,
    );
}

function checkExpiration({ mode, months }: Program['points_expiration'], report: Report): void {
  if (mode !== 'none' && months === null)
    report(
      ['points_expiration', 'months'],
      `is required where mode is ${mode}: a whole number from 1 to 120`,
    );
}

function checkLadder(ladder: Program['levels']['ladder'], report: Report): void {
  ladder.forEach(({ threshold }, index) => {
    const below = ladder[index - 1]?.threshold ?? -1;
    if (threshold <= below)
      report(
        ['levels', 'ladder', index, 'threshold'],
        `must be above ${below}, the threshold of the tier before it, not ${threshold}`,
      );
  });
}

function checkBenefit(benefit: ProgramBenefit, said: unknown, path: Path, report: Report): void {
  const wasSaid = (said as { benefits: { cost?: number | null }[] }).benefits[Number(path[1])];
  if (benefit.benefit_type === 'normal' && (wasSaid?.cost ?? null) === null)
    report(
      [...path, 'cost'],
      'is required for a benefit that is for sale: a whole number, 0 where it is free',
    );

  const { type, value, product, shop_coupon: coupon } = benefit;
  if (type === 'free_product' && value !== null)
    report([...path, 'value'], `must be left out for a free_product, not ${value}`);
  if (type !== 'free_product' && product !== null)
    report([...path, 'product'], `must be left out for a ${type}; only a free_product has one`);
  if (type !== 'free_product' && value === null)
    report(
      [...path, 'value'],
      `is required for a ${type}: ${type === 'percentage_discount' ? 'the percentage' : 'the amount'}`,
    );
  if (type !== 'free_product' && value !== null)
    checkDiscount(type === 'percentage_discount', value, [...path, 'value'], report);
  if (coupon && coupon.type !== 'shipping')
    checkDiscount(coupon.type === 'percentage', coupon.value, [...path, 'shop_coupon', 'value'], report);
}

/**
 * A member's list repeats a benefit for each of its codes, and the catalog is one answer, so both must stay of a size
 * that can be sent again and again.
 */
const MOST_BYTES_OF_A_BENEFIT = 5_000;
const MOST_BYTES_OF_A_CATALOG = 500_000;

function checkBytes(benefits: readonly ProgramBenefit[], isSound: IsSound, report: Report): void {
  const sizes = benefits.map((benefit) => Buffer.byteLength(JSON.stringify(benefit ?? null)));
  sizes.forEach((bytes, index) => {
    if (bytes > MOST_BYTES_OF_A_BENEFIT && isSound('benefits', index))
      report(
        ['benefits', index],
        `must come to at most ${MOST_BYTES_OF_A_BENEFIT} bytes with all its texts and categories, not ${bytes}`,
      );
  });
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (total > MOST_BYTES_OF_A_CATALOG && isSound('benefits'))
    report(['benefits'], `must come to at most ${MOST_BYTES_OF_A_CATALOG} bytes together, not ${total}`);
}

function checkDiscount(isPercentage: boolean, value: number, path: Path, report: Report): void {
  if (isPercentage && (value <= 0 || value > 100))
    report(path, `must be a percentage above 0 and at most 100, not ${value}`);
  if (!isPercentage && value <= 0) report(path, `must be an amount above 0, not ${value}`);
}

function checkIds(
  entries: readonly { readonly id: string | number | null }[],
  list: Path,
  isSound: IsSound,
  report: Report,
): void {
  const first = new Map<string | number, number>();
  entries.forEach((entry, index) => {
    if (!isSound(...list, index, 'id') || entry.id === null) return;
    const earlier = first.get(entry.id);
    if (earlier === undefined) first.set(entry.id, index);
    else
      report(
        [...list, index, 'id'],
        `must be another id: ${entry.id} is already the id of ${writePath([...list, earlier])}`,
      );
  });
}

/**
 * A reward gives only benefits of its own kind, so that nobody can buy them as well. References of a tier or reward are checked even if
 * something else in it is wrong.
 */
function checkReferences(program: Program, isSound: IsSound, report: Report): void {
  const known = new Map<string, string | null>();
  program.benefits.forEach((benefit, index) => {
    // An invalid id has already been reported at the benefit; the tiers and rewards that name it are not reported too.
    const { id, benefit_type: kind } = (benefit ?? {}) as Partial<ProgramBenefit>;
    if (typeof id === 'string')
      known.set(id, kind && isSound('benefits', index, 'benefit_type') ? kind : null);
  });
  const check = (id: string | null | undefined, kind: string, path: Path) => {
    if (typeof id !== 'string' || !isSound(...path)) return;
    const found = known.get(id);
    const near = nearestName(id, [...known.keys()]);
    if (found === undefined)
      report(
        path,
        `names ${id}, which is not the id of a benefit${near ? `; did you mean ${near}?` : ' of this file'}`,
      );
    else if (found !== null && found !== kind)
      report(path, `must name a benefit whose benefit_type is ${kind}; that of ${id} is ${found}`);
  };

  const { levels, rewards, stamps } = program as Readable;
  levels?.ladder?.forEach((tier, index) =>
    check(tier?.benefit, 'level', ['levels', 'ladder', index, 'benefit']),
  );
  stamps?.forEach((one, index) => {
    const path = ['stamps', index, 'then', 'benefit'];
    const id = one?.then?.benefit;
    check(id, 'normal', path);
    const isSold = program.benefits.some(
      (benefit) => benefit?.id === id && benefit.benefit_type === 'normal' && benefit.on_sale,
    );
    if (isSold && isSound(...path))
      report(path, `must name a benefit that nobody can buy: give ${id} the line on_sale: false`);
  });
  for (const kind of ['welcome', 'birthday', 'monthly_top'] as const) {
    const reward = rewards?.[kind];
    if (!reward) continue;
    if (isSound('rewards', kind) && (reward.points === null) === (reward.benefit === null))
      report(['rewards', kind], 'must have either points or benefit, one of the two');
    check(reward.benefit, kind, ['rewards', kind, 'benefit']);
  }
}

/** Where a program may name benefits. Parts that are not as they must be have no value. */
interface Readable {
  readonly levels?: {
    readonly ladder?: readonly ({ readonly benefit?: string | null } | null | undefined)[];
  };
  readonly stamps?: readonly ({ readonly then?: { readonly benefit?: string } } | null | undefined)[];
  readonly rewards?: Readonly<
    Record<string, { readonly points?: number | null; readonly benefit?: string | null } | null | undefined>
  >;
}
