/** Checks the statements that the tests have made the service send. */
import { readdirSync, readFileSync } from 'node:fs';
import { tablesWithoutCommerce } from './check-commerce.ts';
import type { Collected } from './collect.ts';
import { refusedTimes } from './check-times.ts';
import { EXCEPTIONS } from './exceptions.ts';

/** Reads the statements that the processes of a run have left in a folder, each text once. */
export function readCollected(folder: string): Collected[] {
  const all = readdirSync(folder).flatMap((file) =>
    readFileSync(`${folder}/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Collected),
  );
  return [...new Map(all.map((one) => [one.text, one])).values()];
}

/** Returns a sentence for each statement that leaves the commerce of a table out and is no exception, or that a cluster refuses. */
export async function whatIsWrong(collected: readonly Collected[], onCluster = false): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, text, together } of collected) {
    if (together !== undefined) {
      wrong.push(`${name} writes tables in one transaction that a cluster commits apart: ${text}`);
      continue;
    }
    const refused = await refusedTimes(text);
    if (refused.length > 0) wrong.push(`${name} has what a cluster refuses: ${refused.join(', ')}\n${text}`);
    if (name in EXCEPTIONS) continue;
    const tables = await tablesWithoutCommerce(text, !onCluster);
    if (tables.length > 0)
      wrong.push(
        `${name} compares the commerce of these tables with no value: ${tables.join(', ')}\n${text}`,
      );
  }
  return wrong;
}
