import { readFileSync } from 'node:fs';

/** For the program's own files, its log, the outbox and the metrics. */
const OWN_FILES = 50;

/**
 * Returns a warning if this process may open fewer files than it needs, or null. Each connection of a client and each
 * connection to the database is an open file.
 */
export function warnOfFewFiles(
  connections: number,
  poolSize: number,
  limit: number | null = readLimit(),
): string | null {
  const needed = connections + poolSize + OWN_FILES;
  if (limit === null || limit >= needed) return null;
  return (
    `This process may open ${limit} files, but it needs up to ${needed}: ${connections} for clients, ${poolSize} for ` +
    `the database and ${OWN_FILES} of its own. Beyond the limit, calls get a 503 or no connection. Raise it (\`ulimit -n ${needed}\`).`
  );
}

/** Returns null on systems that do not tell. Node has already raised the soft limit to the hard one. */
function readLimit(): number | null {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}
