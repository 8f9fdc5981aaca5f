import { accessSync, chmodSync, constants } from 'node:fs';
import { Refusal } from '../refusal.ts';
import { makeFolder } from './make-folder.ts';
import { tellTrouble } from './tell-trouble.ts';

/**
 * Makes the folder of `DATA_DIR` if it is missing, for its owner alone, and returns the first folder that was made. A folder that is
 * there keeps its mode.
 * @throws Refusal that names the variable if the folder cannot be made or written to
 */
export function makeDataFolder(dataDir: string): string | undefined {
  try {
    const made = makeFolder(dataDir);
    if (made !== undefined) chmodSync(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    throw new Refusal(
      `DATA_DIR is ${dataDir}, and nothing can be kept there: ${tellTrouble(error)}. Set DATA_DIR to a folder that this user may write to.`,
      { cause: error },
    );
  }
}
