import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Relative paths start here, because npm runs workspaces in their own folders but `npx` does not. */
export const checkout = resolve(import.meta.dirname, '../../../..');

/**
 * Returns the text of a variable, or of the file that `NAME_FILE` names. Undefined if it is not set or empty, null if there is no such file
 * or nothing in it.
 */
export function readSettingText(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | null | undefined {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(resolve(checkout, file), 'utf8').trim() || null;
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
