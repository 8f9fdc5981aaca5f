/** The middle value, or the mean of the two middle ones; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least this share of the values does not exceed; NaN if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

/** The slope of log value over log key by least squares: 0 is flat, 1 is proportional. */
export function logSlope(values: Readonly<Record<number, number>>): number {
  const logs = Object.entries(values).map(([x, y]) => ({ x: Math.log(Number(x)), y: Math.log(y) }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(logs.map((log) => log.x)), mean(logs.map((log) => log.y))];
  return mean(logs.map((log) => (log.x - x) * (log.y - y))) / mean(logs.map((log) => (log.x - x) ** 2));
}

/**
 * The Mann–Whitney rank test: if both samples came from one distribution, the probability of ranks at least this
 * uneven. Outliers, which times always have, do not disturb it.
 */
export function rankTest(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isOfA: true })), ...b.map((value) => ({ value, isOfA: false }))];
  all.sort((x, y) => x.value - y.value);
  let ranksOfA = 0;
  let ties = 0;
  for (let first = 0; first < all.length;) {
    let last = first;
    while (all[last + 1]?.value === all[first]!.value) last += 1;
    // Ranks count from 1, and equal values share the mean of theirs.
    const rank = (first + last) / 2 + 1;
    const equal = last - first + 1;
    for (let i = first; i <= last; i++) if (all[i]!.isOfA) ranksOfA += rank;
    ties += equal ** 3 - equal;
    first = last + 1;
  }
  const n = all.length;
  const u = ranksOfA - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  const variance = ((a.length * b.length) / 12) * (n + 1 - ties / (n * (n - 1)));
  return variance === 0 ? 1 : bothTails(Math.abs(u - mean) / Math.sqrt(variance));
}

/** The probability of a normal value at least z standard deviations away on either side (Abramowitz and Stegun 7.1.26). */
function bothTails(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, series * Math.exp(-x * x));
}
