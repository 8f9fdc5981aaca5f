import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The programs that make load, and how to get them. */
const PROGRAMS = {
  wrk: '`apt-get install wrk` on Debian and Ubuntu, `brew install wrk` on macOS',
  pgbench: '`apt-get install postgresql` on Debian and Ubuntu, `brew install postgresql` on macOS',
};

/** Says at once what is missing, before minutes have gone into loading. @throws if a program that makes load is not installed */
export async function requirePrograms(...names: (keyof typeof PROGRAMS)[]): Promise<void> {
  for (const name of names)
    try {
      await promisify(execFile)(name, ['--version']);
    } catch (error) {
      // wrk exits with 1 after it has said its version.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new Error(`${name} is not installed: ${PROGRAMS[name]}`, { cause: error });
    }
}
