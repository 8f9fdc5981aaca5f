import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tells how far a run is, with the minutes and seconds since it began. */
export function say(sentence: string): void {
  const seconds = Math.floor(performance.now() / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  process.stderr.write(`${time} ${sentence}\n`);
}

/** Keeps what was measured so far in a file, so that a run that breaks off after an hour loses nothing. */
export async function keepInFile() {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-bench-'));
  const file = join(folder, 'so-far.json');
  return {
    keep: async (soFar: object): Promise<void> => {
      await writeFile(file, JSON.stringify(soFar, null, 2));
      say(`What is measured so far is kept in ${file}.`);
    },
    /** Once the results are written where they belong. */
    forget: () => rm(folder, { recursive: true, force: true }),
  };
}
