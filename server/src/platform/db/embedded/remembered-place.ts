/**
 * A data folder that PostgreSQL's user cannot reach remembers where its database is. So it finds it again after it was moved or renamed,
 * and a start never begins an empty one in silence.
 */
import { access, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#base/refusal.ts';

interface Remembered {
  /** The folder that holds the database. */
  readonly database: string;
  /** The data folder, as it was called then. */
  readonly of: string;
}

/** The database is elsewhere, and only root can run it there. */
export class OnlyForRoot extends Refusal {
  constructor(dataDir: string, base: string) {
    super(
      `The database of ${dataDir} is in ${base}, because root started it. Start this as root, or set DATA_DIR to another folder.`,
    );
  }
}

export class DatabaseGone extends Refusal {
  constructor(dataDir: string, base: string) {
    super(
      `The database of ${dataDir} was in ${base}, and it is there no more. Put it back, or restore a backup. ` +
        `To begin with an empty one instead, delete ${fileIn(dataDir)}.`,
    );
  }
}

class CopiedFolder extends Refusal {
  constructor(dataDir: string, { database, of }: Remembered) {
    super(
      `${dataDir} is a copy of ${of}, whose database is in ${database} and was not copied. Set DATA_DIR=${of}, or move the data by ` +
        `\`loyalty backup\` and \`loyalty restore\`. To begin with an empty database instead, delete ${fileIn(dataDir)}.`,
    );
  }
}

/** Remembers the place of a database that exists, if it is not in the data folder itself. */
export async function rememberPlace(dataDir: string, base: string): Promise<void> {
  if (base === dataDir) return;
  const remembered: Remembered = { database: base, of: await realpath(dataDir) };
  await writeFile(fileIn(dataDir), `${JSON.stringify(remembered, null, 2)}\n`, { flush: true });
}

/**
 * Returns the folder that holds the database of a data folder. Null if it remembers none.
 * @throws Refusal if the data folder is a copy of one that exists
 */
export async function recallPlace(dataDir: string): Promise<string | null> {
  const remembered = await readRemembered(dataDir);
  if (remembered === null) return null;
  const isOther = remembered.of !== (await realpath(dataDir));
  if (isOther && (await readRemembered(remembered.of))?.database === remembered.database)
    throw new CopiedFolder(dataDir, remembered);
  return remembered.database;
}

/** Says that an empty database begins in a folder that seems to have had one. Null if it does not. */
export async function tellOfTraces(dataDir: string): Promise<string | null> {
  for (const name of ['demo.json', 'secret-key']) {
    const path = join(dataDir, name);
    if (
      !(await access(path).then(
        () => true,
        () => false,
      ))
    )
      continue;
    return `There is no database in ${dataDir}, but ${path} is from an earlier start, so an empty one begins. If the data is elsewhere, stop this and set DATA_DIR to its folder, or DATABASE_URL.`;
  }
  return null;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'database-is-elsewhere.json');
}

async function readRemembered(dataDir: string): Promise<Remembered | null> {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as Remembered;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new Refusal(`${fileIn(dataDir)} says where the database is, and cannot be read: ${message}.`, {
      cause: error,
    });
  }
}
