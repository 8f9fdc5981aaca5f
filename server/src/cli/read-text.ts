import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Refusal } from '#base/refusal.ts';
import { tellTrouble } from '#files/tell-trouble.ts';
import { breaksBeforeFault } from './decode-utf8.ts';

/**
 * Returns the text of a whole file, or of stdin for `-`.
 * @param outcome what a caller is told who gave something else
 * @throws Refusal if it cannot be read or is not UTF-8
 */
export async function readText(file: string, outcome: string): Promise<string> {
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file)).catch((error: unknown) => {
    throw new Refusal(`${file} cannot be read: ${tellTrouble(error)}.`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const line = 1 + breaksBeforeFault(bytes);
    throw new Refusal(
      `Line ${line} of ${file === '-' ? 'stdin' : file} is not UTF-8, but perhaps Windows-1252 or UTF-16. Save the file as UTF-8. ${outcome}`,
    );
  }
}
