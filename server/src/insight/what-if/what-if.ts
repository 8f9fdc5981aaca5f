import { addDays, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import type { Program } from '#program/program.ts';
import { warningsOf } from '#program/warnings.ts';
import { createFigures, type Figures } from './figures.ts';
import { createPrices } from './prices.ts';
import { createPublishing, type Publishing } from './publishing.ts';
import { readMovements, readPeople, takeOneByOne, type Person } from './read-history.ts';
import { createPersonReplay, type PersonReplay, type Range } from './replay-person.ts';
import { daysOf, type AskedRange } from './range.ts';
import { readTimeline, type Timeline } from './timeline.ts';

/** A question: what would have happened under this program? */
export interface Question extends AskedRange {
  readonly commerceId: number;
  /** Checked, with the ids of its tiers. */
  readonly program: Program;
}

/** Gets how much is done, from 0 to 1, after each page that was read. */
export type OnProgress = (progress: Progress) => void;

export interface Progress {
  readonly done: number;
  readonly purchases: number;
}

export interface WhatIf extends Figures {
  readonly from: Day;
  readonly to: Day;
  /** The version that is in force. */
  readonly baseVersion: number;
  readonly publishing: Publishing;
  readonly warnings: readonly string[];
}

/**
 * Replays the ledger of a commerce as if a program had been published on the first day of a range, and compares what would have
 * come of it with what happened. Reads one snapshot, locks nothing and changes nothing. Only one person and a page of rows are in
 * memory.
 */
export async function askWhatIf(
  database: Database,
  { commerceId, program, ...range }: Question,
  onProgress?: OnProgress,
): Promise<WhatIf> {
  const work = async (tx: Tx): Promise<WhatIf> => {
    await allowPauses(tx);
    const commerce = await readCommerce(tx, commerceId);
    if (commerce === undefined) throw new Error(`there is no commerce ${commerceId}`);
    const { rules, now, today } = commerce;
    const { first, last } = daysOf(range, today);
    const replayed = rangeOf(first, last, commerce);
    const timeline = await readTimeline(tx, commerce, program, replayed.from);
    const after = timeline.proposed.rules;
    const figures = createFigures(replayed, rules, after, createPrices(commerce.program, program));
    const publishing = createPublishing(tx, commerce, {
      ...commerce,
      program,
      rules: after,
      today: localDay(now, after.timeZone),
    });
    await replayEverybody(tx, commerceId, { range: replayed, timeline, figures, publishing }, onProgress);
    return {
      ...figures.total(),
      from: first,
      to: last,
      baseVersion: rules.version,
      publishing: publishing.total(),
      warnings: [...warningsOf(program, now), ...warningsOfReplay(timeline, replayed)],
    };
  };
  return transaction(database, work, { snapshot: true });
}

/** The replay computes between its statements, and lets others go first. */
async function allowPauses(tx: Tx): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = '60s'`.execute(tx);
  // Behind a pooler, the connection has the time limit of calls.
  await sql`set local statement_timeout = '60s'`.execute(tx);
  // The first rows come at once, though reading all of them that way takes a little longer.
  await sql`set local cursor_tuple_fraction = 0.001`.execute(tx);
}

function rangeOf(first: Day, last: Day, { rules: { timeZone }, now, today }: Commerce): Range {
  const endsNow = last === today;
  const end = endsNow ? now : new Date(startOfDay(addDays(last, 1), timeZone).getTime() - 1);
  return { from: startOfDay(first, timeZone), end, endsNow };
}

interface Replay {
  readonly range: Range;
  readonly timeline: Timeline;
  readonly figures: ReturnType<typeof createFigures>;
  readonly publishing: ReturnType<typeof createPublishing>;
}

/** Goes through two lists in the order of people: the people, and the movements of each. */
async function replayEverybody(
  tx: Tx,
  commerceId: number,
  { range, timeline, figures, publishing }: Replay,
  onProgress: OnProgress | undefined,
): Promise<void> {
  const ids = await readIds(tx, commerceId);
  const people = takeOneByOne(readPeople(tx, commerceId));
  const movements = readMovements(tx, commerceId, range.endsNow ? null : range.end);
  const begin = async (): Promise<Current | null> => {
    const person = await people.next();
    if (person === null) return null;
    figures.begin();
    return { person, replay: createPersonReplay(timeline, range, person, figures) };
  };
  const end = ({ person, replay }: Current): void => {
    const ended = replay.end();
    if (ended !== null) figures.end(person, ended);
    publishing.add(person);
  };

  let current = await begin();
  for await (const page of movements) {
    for (const row of page) {
      while (current !== null && current.person.member.id < row.memberId) {
        end(current);
        current = await begin();
      }
      if (current === null) throw new Error(`movement ${row.id} belongs to nobody`);
      current.replay.next(row);
    }
    const { memberId } = page.at(-1)!;
    onProgress?.({
      done: (memberId - ids.first) / Math.max(1, ids.last - ids.first + 1),
      purchases: figures.purchasesRead,
    });
  }
  for (; current !== null; current = await begin()) end(current);
}

/** The person whose movements are being read. */
interface Current {
  readonly person: Person;
  readonly replay: PersonReplay;
}

/** Ids grow evenly enough for a progress bar. */
async function readIds(tx: Tx, commerceId: number): Promise<{ first: number; last: number }> {
  const { rows } = await sql<{ first: number; last: number }>`
    select coalesce(min(id), 0)::bigint as first, coalesce(max(id), 0)::bigint as last
      from members where commerce_id = ${commerceId}`.execute(tx);
  return rows[0]!;
}

/** Warnings that the figures do not show. */
function warningsOfReplay({ versions, proposed }: Timeline, { from, end }: Range): string[] {
  const overlaps = ({ from: opens, to: closes }: { from: Date; to: Date }) => opens <= end && closes > from;
  const keyOf = (window: { from: Date; to: Date }) => `${window.from.getTime()}/${window.to.getTime()}`;
  const kept = new Set(proposed.rules.earning.doublePoints.map(keyOf));
  const held = new Map(
    versions
      .flatMap(({ rules }) => rules.earning.doublePoints.filter(overlaps))
      .map((one) => [keyOf(one), one]),
  );
  const gone = [...held.keys()].filter((key) => !kept.has(key)).length;
  if (gone === 0) return [];
  return [
    `earning.double_points: ${gone === 1 ? 'a period of double points' : `${gone} periods of double points`} in this time ${gone === 1 ? 'is' : 'are'} not in the proposed program, so purchases there earn single points now`,
  ];
}
