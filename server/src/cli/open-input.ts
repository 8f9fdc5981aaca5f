import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Refusal } from './refusal.ts';

/** A file to be read from its beginning, and how much of it has been read, from 0 to 1; null where nobody can know. */
export interface Input {
  readonly input: Readable;
  readonly progress: () => number | null;
}

/** Opens a file that a command was given; - is stdin. @throws Refusal where it cannot be read */
export async function openInput(file: string): Promise<Input> {
  if (file === '-') return { input: process.stdin, progress: () => null };
  try {
    const entry = await stat(file);
    if (entry.isDirectory()) throw new Error('it is a folder');
    const input = createReadStream(file);
    await new Promise((resolve, reject) => input.once('open', resolve).once('error', reject));
    return { input, progress: () => input.bytesRead / entry.size };
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
