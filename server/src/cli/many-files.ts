import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDatabaseAway } from '#db/database-errors.ts';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { createProgressBar } from './progress.ts';
import { printError, printMessage, printResult, writeCount, type JsonOption } from './terminal.ts';

/** The outcome of one of many files. */
export interface FileOutcome {
  /** In a word or two: files with the same words are counted together. */
  readonly outcome: string;
  /** A line for a person. */
  readonly says: string;
  readonly data: object;
}

/**
 * Returns the files of a command that was given several, or folders. A folder stands for the files in it with one of the endings, in the
 * order of their names. Returns null for a single file, which the command handles by itself.
 * @throws Refusal if there is none, or one cannot be found
 */
export async function listFiles(
  given: readonly string[],
  endings: readonly string[],
): Promise<readonly string[] | null> {
  const [only] = given;
  if (given.length === 1 && (only === '-' || !(await isFolder(only!)))) return null;
  if (given.includes('-'))
    throw new Refusal('Stdin cannot be combined with files: leave out either - or the files.');
  const listed = await Promise.all(
    given.map(async (path) => ((await isFolder(path)) ? filesIn(path, endings) : [path])),
  );
  return [...new Set(listed.flat())];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false, // the file is told by its name when its turn comes
  );
}

async function filesIn(folder: string, endings: readonly string[]): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Refusal(`${folder} cannot be read: ${tellTrouble(error)}.`, { cause: error });
  });
  const files = names.filter(
    (name) => !name.startsWith('.') && endings.some((ending) => name.endsWith(ending)),
  );
  if (files.length === 0) throw new Refusal(`${folder} has no file that ends in ${endings.join(' or ')}.`);
  return files.toSorted().map((name) => join(folder, name));
}

/**
 * Does the same with one file after the other, each in a transaction of its own, and goes on after one that is refused. Prints what became
 * of each, and how many of each kind there are.
 * @throws Refusal in the end, with the names of the files that failed
 */
export async function workThrough(
  files: readonly string[],
  options: JsonOption,
  work: (file: string) => Promise<FileOutcome>,
): Promise<void> {
  const bar = createProgressBar();
  const done: { file: string; outcome: string; says: string; data: object }[] = [];
  const failed: { file: string; error: string }[] = [];
  for (const [index, file] of files.entries()) {
    bar.show(index / files.length, `${index} of ${files.length} files`);
    try {
      done.push({ file, ...(await work(file)) });
    } catch (error) {
      // Every further file would fail in the same way.
      if (isDatabaseAway(error)) {
        bar.end();
        printMessage(
          `Stopped at ${file}, after ${writeCount(index, 'file')}. Run the command again to continue.`,
        );
        throw error;
      }
      failed.push({ file, error: (error as Error).message });
    }
  }
  bar.end();
  printResult(
    options,
    { files: done.map(({ file, outcome, data }) => ({ file, outcome, ...data })), failed },
    () => done.map(({ says }) => says).join('\n'),
  );
  for (const { file, error } of failed) printError(`${file} failed:\n  ${error.replaceAll('\n', '\n  ')}`);
  const counts = Map.groupBy(done, ({ outcome }) => outcome);
  const summary = [...counts].map(([outcome, some]) => `${some.length} ${outcome}`);
  if (failed.length > 0) summary.push(`${failed.length} failed`);
  const total = `${writeCount(files.length, 'file')}: ${summary.join(', ')}.`;
  if (failed.length > 0) throw new Refusal(`${total}\nFailed: ${failed.map(({ file }) => file).join(', ')}`);
  printMessage(total);
}
