import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bareEnv, startProgram, type Child } from '../../bench/child.ts';
import type { openDatabase } from '../../server/src/platform/db/database.ts';
import type { migrate } from '../../server/src/platform/db/migrate.ts';
import type { loadMembers, LoadSize, Loaded } from '../../bench/load-members.ts';

type Opener = { readonly openDatabase: typeof openDatabase };
type Migrations = { readonly migrate: typeof migrate };
type Loader = { readonly loadMembers: typeof loadMembers };

/** The code of an earlier commit, in a folder of its own. */
export interface OldRelease {
  /** Makes that release's schema in an empty database and fills it, all by that release's code. */
  fill(url: string, size: LoadSize): Promise<Loaded>;
  /** Runs its `loyalty` command; gives what it says. */
  loyalty(url: string, args: readonly string[], input?: string): Promise<string>;
  /** Its service, as it is started anywhere. */
  start(env: Record<string, string>): Promise<Child>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs `work` with the code of a commit. It runs on the packages that are installed here where it asks for the same
 * ones, and on its own, which npm installs, where it does not.
 */
export async function withOldRelease<T>(commit: string, work: (old: OldRelease) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-old-'));
  try {
    const files = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: files });
    const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
    if (lockOf(folder) === lockOf(ROOT))
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' });
    return await work(releaseIn(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function releaseIn(folder: string): OldRelease {
  const file = (path: string) => join(folder, path);
  return {
    async fill(url, size) {
      const [database, migrations, loader] = (await Promise.all(
        ['server/src/db/database.ts', 'server/src/db/migrate.ts', 'bench/load-members.ts'].map(
          (path) => import(file(path)) as Promise<unknown>,
        ),
      )) as [Opener, Migrations, Loader];
      const db = database.openDatabase({
        url,
        poolSize: 1,
        preparedStatements: false,
        statementTimeoutMs: 0,
      });
      try {
        await migrations.migrate(db);
        return await loader.loadMembers(db, size);
      } finally {
        await db.destroy();
      }
    },

    async loyalty(url, args, input = '') {
      const child = spawn(process.execPath, [file('server/src/cli/loyalty.js'), ...args], {
        env: { ...bareEnv(), DATABASE_URL: url },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.end(input);
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      if (code !== 0) throw new Error(`loyalty ${args.join(' ')} ended with ${code}`);
      return said;
    },

    start: (env) =>
      startProgram(
        { file: file('server/src/start.js'), path: '/readyz' },
        { RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ...env },
      ),
  };
}
