import { writeFile } from 'node:fs/promises';

/** Writes a run to `results/`, as the formatter has it. */
export async function writeResults(name: string, results: object): Promise<void> {
  // Pairs stay on one line.
  const text = JSON.stringify(results, rounded, 2).replaceAll(
    /\[\s+([-\d.e]+),\s+([-\d.e]+)\s+\]/g,
    '[$1, $2]',
  );
  await writeFile(new URL(`./results/${name}.json`, import.meta.url), `${text}\n`);
}

/** Figures of noisy machines need no sixteen digits. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
