import { distanceOfTexts } from '#text/near-name.ts';

/** A longer name has hardly been mistyped. The limit also bounds the work: a program can name thousands of benefits. */
const LONGEST = 40;

/** Returns the known name that a wrong name most likely stands for, or null if none is close. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length > LONGEST) return null;
  const letters = wrong.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - letters.length) >= least) continue;
    const steps = distanceOfTexts(letters, name.toLowerCase());
    if (steps < least) [nearest, least] = [name, steps];
  }
  return nearest;
}
