/**
 * Whether two samples could be of one and the same distribution, by the Mann–Whitney rank test: the probability of
 * ranks at least as uneven as these if they were. Ranks do not mind outliers, which times always have.
 */
export function rankTest(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isOfA: true })), ...b.map((value) => ({ value, isOfA: false }))];
  all.sort((x, y) => x.value - y.value);
  let ranksOfA = 0;
  let ties = 0;
  for (let first = 0; first < all.length;) {
    let last = first;
    while (all[last + 1]?.value === all[first]!.value) last += 1;
    // Equal values share the mean of their ranks, which count from 1.
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

/** The probability of a normal value at least z standard deviations off, either way; Abramowitz and Stegun 7.1.26. */
function bothTails(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, series * Math.exp(-x * x));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
