import { distanceOfTexts } from '#text/near-name.ts';

/** A path that callers can use, and its methods. */
export interface KnownPath {
  /** As it is published: `/v1/clients/{client_code}`. */
  readonly path: string;
  readonly methods: readonly string[];
}

/** What is longer than this is no typing mistake. The limits also bound the work. */
const MOST_CHARACTERS = 120;
const MOST_SEGMENTS = 8;
const LONGEST_SEGMENT = 24;
/** The most that a path and its guess may differ. */
const FARTHEST = 3;
/** What a parameter costs that does not look like one: an id without any digit. */
const PLAIN_PARAMETER = 1.5;
/** A segment too many or too few counts as so many wrong letters. */
const WHOLE_SEGMENT = 2;

/**
 * Creates the guess of which path a caller meant who called one that does not exist: `POST /v1/consumptions/client-code`
 * for `/v1/consumption/client-code`. Returns undefined if nothing is near, or nothing that takes
 * the method where it must. The guess contains nothing that was sent.
 */
export function createPathGuess(
  known: () => readonly KnownPath[],
): (
  method: string,
  path: string,
  mustHaveMethod: boolean,
) => { readonly method: string; readonly path: string } | undefined {
  let paths: { segments: string[]; path: string; methods: readonly string[] }[] | undefined;
  return (method, path, mustHaveMethod) => {
    if (path.length > MOST_CHARACTERS) return undefined;
    const segments = segmentsOf(path.toLowerCase());
    if (segments.length === 0 || segments.length > MOST_SEGMENTS) return undefined;
    if (segments.some((segment) => segment.length > LONGEST_SEGMENT)) return undefined;
    paths ??= known().map((one) => ({ ...one, segments: segmentsOf(one.path) }));

    const memory = new Map<string, number>();
    let best: { rank: number; method: string; path: string } | undefined;
    for (const one of paths) {
      if (Math.abs(segments.length - one.segments.length) * WHOLE_SEGMENT > FARTHEST) continue;
      const hasMethod = one.methods.includes(method);
      if (mustHaveMethod && !hasMethod) continue;
      const distance = distanceOfPaths(segments, one.segments, memory);
      // Of two that are equally near, the one with the method.
      const rank = distance + (hasMethod ? 0 : 0.5);
      if (distance > FARTHEST || (best !== undefined && rank >= best.rank)) continue;
      best = { rank, method: hasMethod ? method : one.methods[0]!, path: one.path };
    }
    return best;
  };
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Counts wrong letters over all segments. */
function distanceOfPaths(
  given: readonly string[],
  known: readonly string[],
  memory: Map<string, number>,
): number {
  let row = known.map((_, j) => (j + 1) * WHOLE_SEGMENT);
  for (const [i, segment] of given.entries()) {
    let diagonal = i * WHOLE_SEGMENT;
    let left = (i + 1) * WHOLE_SEGMENT;
    row = row.map((above, j) => {
      left = Math.min(
        above + WHOLE_SEGMENT,
        left + WHOLE_SEGMENT,
        diagonal + distanceOfSegments(segment, known[j]!, memory),
      );
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? given.length * WHOLE_SEGMENT;
}

function distanceOfSegments(given: string, known: string, memory: Map<string, number>): number {
  if (given === known) return 0;
  const isVersion = /^v\d$/.test(given);
  if (known.startsWith('{')) {
    if (isVersion) return FARTHEST + 1;
    return /[\d:{]/.test(given) ? 0 : PLAIN_PARAMETER;
  }
  if (isVersion && /^v\d$/.test(known)) return 1;
  if (Math.abs(given.length - known.length) > FARTHEST) return FARTHEST + 1;
  const key = `${given}/${known}`;
  const kept = memory.get(key);
  if (kept !== undefined) return kept;
  const distance = distanceOfTexts(given, known);
  // With half of the letters wrong it is another word.
  const counted = distance * 2 >= known.length ? FARTHEST + 1 : distance;
  memory.set(key, counted);
  return counted;
}
