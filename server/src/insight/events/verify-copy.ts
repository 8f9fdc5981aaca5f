/** A fault of a copy of the feed, and the line that has it. */
export interface CopyFault {
  readonly line: number;
  readonly says: string;
}

/** The verdict on a copy of a feed. */
export interface VerifiedCopy {
  readonly events: number;
  /** Movements in the copy, with those in the snapshot that it begins with. */
  readonly movements: number;
  /** The movements that are known to be all there are up to the last of them that names its place. */
  readonly provenTo: number;
  readonly faults: readonly CopyFault[];
}

/** Faults that are told. One that is early makes many. */
const MOST_FAULTS = 20;

/**
 * Checks that a copy of the feed lacks no movement and has none twice. Movements are sealed in the order of the feed, so the movement after
 * n others has the place n in the tree. A copy begins with the first event or with the lines of a snapshot, which says how many movements
 * are in it. Those that were being written when it was taken come first, with places that are lower than their number.
 */
export async function verifyCopy(lines: AsyncIterable<string>): Promise<VerifiedCopy> {
  const ids = new Set<string>();
  const faults: CopyFault[] = [];
  let [events, movements, provenTo, line] = [0, 0, 0, 0];
  let highest = -1;
  const note = (says: string) => {
    if (faults.length < MOST_FAULTS) faults.push({ line, says });
  };

  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const read = readLine(text);
    if (read === null) note('neither an event nor a line of a snapshot');
    else if ('movements' in read) {
      if (line > 1) note('a snapshot begins in the middle of the copy');
      movements = read.movements;
    } else if ('id' in read) {
      events += 1;
      if (ids.has(read.id)) note(`${read.id} is there twice`);
      ids.add(read.id);
      if (!read.isMovement) continue;
      if (read.place !== null) {
        if (read.place > movements) note(`${read.place - movements} movements before ${read.id} are missing`);
        if (read.place <= highest) note(`${read.id} is not in the order of the feed`);
        if (read.place === movements) provenTo = movements + 1;
        highest = read.place;
      }
      movements += 1;
    }
  }
  return { events, movements, provenTo, faults };
}

type Line =
  | { readonly movements: number }
  | { readonly id: string; readonly isMovement: boolean; readonly place: number | null }
  | { readonly ofSnapshot: true };

/** Lines of a snapshot that say nothing of the feed. */
const OF_SNAPSHOT: ReadonlySet<unknown> = new Set(['member', 'voucher', 'stamps', 'end']);

function readLine(text: string): Line | null {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  const { type, movements, id, data, sealed } = line;
  if (type === 'start' && typeof movements === 'number') return { movements };
  if (OF_SNAPSHOT.has(type)) return { ofSnapshot: true };
  if (typeof id !== 'string' || typeof data !== 'object' || data === null) return null;
  const place = (sealed as { index?: unknown } | null)?.index;
  return { id, isMovement: 'movement_id' in data, place: typeof place === 'number' ? place : null };
}
