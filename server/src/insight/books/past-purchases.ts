import { add, type Figure } from '#db/copy-out.ts';
import type { Program } from '#program/program.ts';

/** The day, week or month of an instant at a shop, or all time. */
export interface Period {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly per: NonNullable<Program['earning']['rules'][number]['limit']>['per'];
  readonly zone: string;
}

/** What limits and caps ask about the earlier purchases of a member of which something counts. */
export interface PastPurchases {
  /** Returns the points that those of a period have earned. */
  earnedIn(period: Period): number;
  /** Returns how many of a period have used a rule with a limit. */
  usesIn(ruleId: string, period: Period): number;
}

interface Past {
  readonly at: number;
  readonly used: readonly string[];
  kept: Figure;
  earned: Figure;
}

export interface FollowedPurchases extends PastPurchases {
  purchase(id: number, at: number, used: readonly string[], kept: Figure, earned: Figure): void;
  /** More or less is kept of a purchase. Does nothing if the member has none of that id. */
  change(id: number, kept: Figure, earned: Figure): void;
}

/**
 * Follows the purchases of a member in the order of the ledger. They are sorted into periods once a program asks for such, so that a history
 * of any length is read once.
 */
export function followPurchases(): FollowedPurchases {
  const all = new Map<number, Past>();
  const earning = createShelf(() => true);
  const limited = createShelf(({ used }) => used.length > 0);
  return {
    purchase(id, at, used, kept, earned) {
      const one = { at, used, kept, earned };
      all.set(id, one);
      earning.put(one);
      limited.put(one);
    },
    change(id, kept, earned) {
      const one = all.get(id);
      if (one === undefined) return;
      one.kept = add(one.kept, kept);
      one.earned = add(one.earned, earned);
    },
    earnedIn: (period) =>
      earning.of(period, all).reduce((sum, { kept, earned }) => (kept > 0 ? sum + Number(earned) : sum), 0),
    usesIn: (ruleId, period) =>
      limited.of(period, all).filter(({ kept, used }) => kept > 0 && used.includes(ruleId)).length,
  };
}

/** Purchases by the names of their periods, for each kind of period that was asked for. */
function createShelf(has: (one: Past) => boolean) {
  const kinds = new Map<string, Kind>();
  return {
    put(one: Past): void {
      for (const kind of kinds.values()) putInto(kind, one);
    },
    of(period: Period, all: ReadonlyMap<number, Past>): readonly Past[] {
      const name = `${period.per} ${period.zone}`;
      let kind = kinds.get(name);
      if (kind === undefined) {
        kind = { period, rows: new Map() };
        kinds.set(name, kind);
        for (const one of all.values()) putInto(kind, one);
      }
      return kind.rows.get(nameOf(period)) ?? [];
    },
  };

  function putInto({ period, rows }: Kind, one: Past): void {
    if (!has(one)) return;
    const name = nameOf({ ...period, at: one.at });
    const row = rows.get(name);
    if (row === undefined) rows.set(name, [one]);
    else row.push(one);
  }
}

interface Kind {
  readonly period: Omit<Period, 'at'>;
  readonly rows: Map<string, Past[]>;
}

function nameOf({ at, per, zone }: Period): string {
  if (per === 'ever') return '';
  const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
  if (per === 'day') return date.toString();
  if (per === 'month') return `${date.year}-${date.month}`;
  return `${date.yearOfWeek}-W${date.weekOfYear}`;
}
