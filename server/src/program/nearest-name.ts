/** Returns the known name that a wrong name most likely stands for, or null if none is close. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length > 100) return null;
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const name of known) {
    const steps = editSteps(wrong.toLowerCase(), name.toLowerCase());
    if (steps < least) [nearest, least] = [name, steps];
  }
  return nearest;
}

/** Returns how many letters must be added, removed or changed to turn one name into the other. */
function editSteps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(change, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
