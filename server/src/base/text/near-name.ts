/** Anything longer than this is not a mistyped name. It also bounds the work. */
const LONGEST = 40;
/** The most letters in which a mistyped name may differ. */
const FARTHEST = 2;

/**
 * Returns the name that is meant by one that is not known: `benefit_id` for `benefitId`, `amount` for `ammount`, `email`
 * for `client_email`. Returns undefined if none is near.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > LONGEST) return undefined;
  const letters = lettersOf(given);
  const same = known.find((name) => lettersOf(name) === letters);
  if (same !== undefined) return same;
  const [near] = known
    .map((name) => ({ name, distance: distanceOfTexts(letters, lettersOf(name)) }))
    // With half of the letters wrong it is another word.
    .filter(({ name, distance }) => distance <= FARTHEST && distance * 2 < name.length)
    .toSorted((a, b) => a.distance - b.distance);
  return near?.name ?? known.find((name) => shareTheirWords(given, name));
}

function lettersOf(name: string): string {
  return name.replaceAll(/[_\s-]/g, '').toLowerCase();
}

/** Returns true if all words of one are in the other: `client_email` and `email`. */
function shareTheirWords(a: string, b: string): boolean {
  const [few = [], many = []] = [wordsOf(a), wordsOf(b)].toSorted((x, y) => x.length - y.length);
  return few.every((word) => many.includes(word));
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\s-]/);
}

/** Levenshtein's distance. */
export function distanceOfTexts(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    let diagonal = i - 1;
    row[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      const above = row[j]!;
      row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1));
      diagonal = above;
    }
  }
  return row[b.length]!;
}

/** Returns a name that a caller sent, short and harmless, to be repeated in an answer. */
export function toShownName(name: string): string {
  return name.slice(0, LONGEST).replaceAll(/[^\w.:@$ -]/g, '?');
}
