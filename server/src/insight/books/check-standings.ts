/**
 * Checks the tier that each purchase names against the movements before it. Nothing of the stored tier is believed: a tier can be held
 * only if the lifetime figures have met its threshold under some version of the program that was in force, if staff have pinned it, or
 * if it is below such a tier. A return that took a tier away closes it again. Where tiers never end and nothing was pinned, the tier is
 * exactly the highest one that was ever met, and so are the tiers that a purchase reached.
 */
import { add, type Figure } from '#db/copy-out.ts';
import { sql, type Db } from '#db/database.ts';
import type { HeldTier, History, Movement, Report, Snapshot } from './history.ts';
import type { ProgramOfBooks, Programs } from './read-programs.ts';

/** The tiers that staff have ever pinned, by member. Null is below the ladder. */
export type Pins = ReadonlyMap<number, ReadonlySet<string | null>>;

const NAMED = {
  purchase: 'a purchase names the tier that the movements before it give',
  reached: 'a purchase reaches the tiers that its figures meet',
  held: 'a tier that is held was reached, or pinned by staff',
} as const;

/** Returns the pins of each commerce by the audit, which cannot be changed. */
export async function readPins(db: Db, commerceIds: readonly number[]): Promise<ReadonlyMap<number, Pins>> {
  const { rows } = await sql<{ commerceId: number; memberId: number; tierId: string | null }>`
    select distinct commerce_id as "commerceId", member_id as "memberId",
           case action when 'tier.pin' then after ->> 'level' else before ->> 'level' end as "tierId"
      from audit
     where commerce_id = any(${commerceIds}::bigint[]) and action in ('tier.pin', 'tier.unpin') and member_id is not null
       -- As the index of actions has it.
       and action not in ('purchase.record', 'purchase.reverse', 'voucher.redeem')`.execute(db);
  const read = new Map<number, Map<number, Set<string | null>>>(commerceIds.map((id) => [id, new Map()]));
  for (const { commerceId, memberId, tierId } of rows) {
    const pins = read.get(commerceId)!;
    const tiers = pins.get(memberId);
    if (tiers === undefined) pins.set(memberId, new Set([tierId]));
    else tiers.add(tierId);
  }
  return read;
}

/** Checks the tiers of one person after another. */
export function createStandingCheck(programs: Programs, pins: Pins) {
  const versions = [...programs.keys()];
  const hasTiers = versions.some((version) => programs.get(version)!.ladder.length > 0);
  const endsFrom = versions.find((version) => programs.get(version)!.tiersEnd) ?? Infinity;
  const isOld = versions.some((version) => programs.get(version)!.isByPlace);
  return (history: History, report: Report): void => {
    if (!hasTiers && history.tier === null) return;
    const pinned = pinnedOf(history, pins, isOld);
    const climber = createClimber({ programs, versions, endsFrom, pinned });
    for (const movement of history.movements) {
      const version = versionOf(movement);
      if (version !== null) climber.moveTo(version);
      if (movement.type === 'purchase') checkPurchase(movement, climber, endsFrom, pinned, report);
      climber.take(movement);
    }
    climber.moveTo(versions.at(-1) ?? 0);
    if (history.tier !== null) checkHeld(history.tier, climber, pinned, report);
  };
}

type Climber = ReturnType<typeof createClimber>;

interface Climb {
  readonly programs: Programs;
  /** In their order. */
  readonly versions: readonly number[];
  /** The first version in which tiers end. */
  readonly endsFrom: number;
  readonly pinned: ReadonlySet<string | null>;
}

function checkPurchase(
  movement: Movement,
  climber: Climber,
  endsFrom: number,
  pinned: Climb['pinned'],
  report: Report,
): void {
  const { id, snapshot } = movement;
  const version = versionOf(movement);
  const program = climber.programOf(version);
  // Another check tells of what cannot be read.
  if (program === undefined || version === null || snapshot === null) return;
  // The tier is named on the ladder of the rule that it earned by, which was another one.
  if (snapshot['version'] !== undefined) return;
  const rank = rankOf(snapshot, program);
  const named = program.ladder[rank - 1]?.id ?? 'nobody with a tier';
  // What was paid earlier names the tier of then, which may have been lower.
  const isExact =
    version < endsFrom && pinned.size === 0 && 'factors' in snapshot && !('arrived' in snapshot);
  if (rank > climber.highest() || (isExact && rank < climber.met())) {
    report(NAMED.purchase, id, `made as ${named}, but ${climber.tell()}`);
    return;
  }
  if (!isExact) return;
  if (rank > 0 && !paysFor(snapshot, program, rank))
    report(NAMED.purchase, id, `made as ${named} without its multiplier, but its tier cannot have ended`);
  const top = Math.max(rank, climber.met(movement));
  const reached = reachedBy(snapshot) ?? rank;
  if (reached !== top)
    report(NAMED.reached, id, `it reached place ${reached} of the ladder, but its figures meet place ${top}`);
}

/** Returns the tiers that were pinned. A shop that is older than the audit can have pins which are not in it. */
function pinnedOf({ memberId, tier }: History, pins: Pins, isOld: boolean): Climb['pinned'] {
  const audited = pins.get(memberId) ?? NONE;
  return isOld && tier?.isPinned === true ? new Set([...audited, tier.id, tier.beneath]) : audited;
}

function checkHeld(
  { id, isPinned, beneath }: HeldTier,
  climber: Climber,
  pinned: Climb['pinned'],
  report: Report,
): void {
  if (isPinned && pinned.size === 0)
    report(NAMED.held, null, `holds ${id ?? 'no tier'} by a pin, but the audit has none`);
  else if (id !== null && !climber.canHold(id))
    report(NAMED.held, null, `holds ${id}, but ${climber.tell()}`);
  if (isPinned && beneath !== null && beneath !== id && !climber.canHold(beneath))
    report(NAMED.held, null, `holds ${beneath} beneath a pin, but ${climber.tell()}`);
}

const NONE: ReadonlySet<string | null> = new Set();

/** Follows the lifetime figures of a person, and the highest tier that they can have reached. */
function createClimber({ programs, versions, endsFrom, pinned }: Climb) {
  let version = 0;
  let place = 0;
  let program: ProgramOfBooks | undefined;
  /** The rank of the highest tier that can be held, on the ladder of the version. */
  let highest = 0;
  let isBlind = false;
  let hasLate = false;
  const now = { points: 0 as Figure, amount: 0 as Figure };
  /** The highest figures since a movement last told a version. */
  const peak = { points: 0 as Figure, amount: 0 as Figure };
  /** Once a tier has ended, more can count than the lifetime figures: what was taken back of the time before counts as well. */
  const taken = { points: 0 as Figure, amount: 0 as Figure };

  const climb = () => {
    if (program === undefined || highest === program.ladder.length) return;
    const { thresholdsOf: of } = program;
    const figure = version >= endsFrom ? add(peak[of], taken[of]) : peak[of];
    highest = Math.max(highest, rankMet(program, figure));
    if (pinned.size > 0)
      highest = Math.max(highest, 1 + program.ladder.findLastIndex(({ id }) => pinned.has(id)));
  };
  const publish = (next: ProgramOfBooks) => {
    const held = new Set(program?.ladder.slice(0, highest).map(({ id }) => id));
    const byPlace = next.isByPlace ? Math.min(highest, next.ladder.length) : 0;
    program = next;
    highest = Math.max(byPlace, 1 + next.ladder.findLastIndex(({ id }) => held.has(id)));
    climb();
  };
  const settlePeak = () => {
    peak.points = now.points;
    peak.amount = now.amount;
  };
  return {
    /** Publishes the versions up to this one. The figures of the time count for each. */
    moveTo(next: number): void {
      if (next > version) {
        version = next;
        while (place < versions.length && versions[place]! <= next)
          publish(programs.get(versions[place++]!)!);
        isBlind ||= versions[place - 1] !== next;
      } else climb();
      settlePeak();
    },
    take(movement: Movement): void {
      const { type, points, pointsEarned, amount, snapshot, balanceAfter } = movement;
      now.points = add(now.points, pointsEarned);
      now.amount = add(now.amount, amount ?? 0);
      if (now.points > peak.points) peak.points = now.points;
      if (now.amount > peak.amount) peak.amount = now.amount;
      if (type === 'purchase') hasLate ||= balanceAfter === null;
      else if (type === 'adjustment' ? points < 0 : type === 'reversal' && hasLate) {
        taken.points = add(taken.points, -pointsEarned);
        taken.amount = add(taken.amount, -(amount ?? 0));
      }
      if (type === 'reversal' && snapshot !== null && program !== undefined) {
        highest = Math.min(highest, lowestLost(snapshot, program) - 1);
        if (versionOf(movement) !== null) settlePeak();
      }
      climb();
    },
    /** The program of a version; undefined if it is not the one in force, or one before it cannot be read. */
    programOf: (of: number | null) => (of === version && !isBlind ? program : undefined),
    highest: () => highest,
    /** The rank that the figures meet if no tier has ever ended, also with those of one more purchase. */
    met(purchase?: Movement): number {
      const { thresholdsOf } = program!;
      const more = thresholdsOf === 'points' ? purchase?.pointsEarned : purchase?.amount;
      return rankMet(program!, add(now[thresholdsOf], more ?? 0));
    },
    canHold: (id: string) =>
      isBlind || program?.ladder.slice(0, highest).some((tier) => tier.id === id) === true,
    tell: () =>
      `${now.points} points earned and ${now.amount} spent${pinned.size > 0 ? ', with the pins,' : ''} give ${program?.ladder[highest - 1]?.id ?? 'no tier'} at most`,
  };
}

function rankMet({ ladder }: ProgramOfBooks, figure: Figure): number {
  let rank = ladder.length;
  while (rank > 0 && ladder[rank - 1]!.threshold > figure) rank -= 1;
  return rank;
}

/** The version in force at a movement; null if it tells none. */
function versionOf({ type, snapshot }: Movement): number | null {
  const version = type === 'reversal' ? snapshot?.['version'] : (snapshot?.['version'] ?? snapshot?.['rule']);
  return typeof version === 'number' ? version : null;
}

/** The rank of the tier before a purchase; 0 for none. Release 0.1 left members on ranks that no longer existed. */
function rankOf(snapshot: NonNullable<Snapshot>, { ladder }: ProgramOfBooks): number {
  const rank = snapshot['tier'];
  return typeof rank === 'number' ? Math.max(0, Math.min(rank, ladder.length)) : 0;
}

/** Whether the multiplier of a tier is among the factors, if it changes anything. */
function paysFor(snapshot: NonNullable<Snapshot>, { ladder }: ProgramOfBooks, rank: number): boolean {
  const factors = snapshot['factors'];
  const pays =
    Array.isArray(factors) && factors.some((factor) => Array.isArray(factor) && factor[0] === 'tier');
  return pays || ladder[rank - 1]!.points_multiplier === 1;
}

/** The highest rank that a purchase says it reached; null if it reached none. */
function reachedBy(snapshot: NonNullable<Snapshot>): number | null {
  const climbed = snapshot['climbed'] as { reached?: unknown } | undefined;
  const reached = climbed?.reached;
  return Array.isArray(reached) && typeof reached.at(-1) === 'number' ? (reached.at(-1) as number) : null;
}

/** The lowest rank of the tiers that a return took away. */
function lowestLost(snapshot: NonNullable<Snapshot>, { ladder }: ProgramOfBooks): number {
  const lost = snapshot['lost'];
  if (!Array.isArray(lost)) return Infinity;
  const ids = new Set(lost.map((one: { tierId?: unknown } | null) => one?.tierId));
  const rank = ladder.findIndex(({ id }) => ids.has(id)) + 1;
  return rank === 0 ? Infinity : rank;
}
