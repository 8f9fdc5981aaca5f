import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { checkEncoding } from './decode-utf8.ts';

export interface Input {
  readonly input: Readable;
  /** Returns the part that has been read, from 0 to 1, or null if the size is unknown. */
  readonly progress: () => number | null;
}

/**
 * Opens the CSV file that was given to a command; - is stdin. A file is checked to be UTF-8 to its end. Input that can be read only once,
 * such as stdin, is checked while it is read.
 * @throws Refusal if it cannot be read or is not UTF-8
 */
export async function openInput(file: string): Promise<Input> {
  if (file === '-') return { input: process.stdin, progress: () => null };
  try {
    const entry = await stat(file);
    if (entry.isDirectory()) throw new Error('it is a folder, not a file');
    if (entry.isFile()) await checkEncoding(createReadStream(file), file);
    const input = createReadStream(file);
    await new Promise((resolve, reject) => input.once('open', resolve).once('error', reject));
    return { input, progress: () => input.bytesRead / entry.size };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${file} cannot be read: ${tellTrouble(error)}.`);
  }
}
