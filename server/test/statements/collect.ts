/** Keeps the statements that the tests make the service send, so that the end of the run can check each text once. */
import { appendFileSync } from 'node:fs';
import type { PoolClient } from 'pg';
import { tablesApart } from './written-tables.ts';
import { ROOT } from '../repository.ts';

/** A statement of the service. */
export interface Collected {
  /** The name that its text begins with, or the file that sends it. */
  readonly name: string;
  readonly text: string;
  /** The tables that its transaction has written together, one of which no transaction may write beside others. */
  readonly together?: readonly string[];
}

const NAME = /^-- ([a-z][a-z-]*)\n/;
const SOURCE = `${ROOT}/server/src/`;
/** Code that sends statements for others. */
const PLUMBING =
  /^platform\/db\/(?:client-statements|database|settle-commit|silent-connections|sql|copy-out)\.ts/;

/** Appends each new text of a connection to the file of this process. Does nothing outside a run of the tests. */
export function collectStatements(client: PoolClient, seen: Set<string>): void {
  const folder = process.env['TEST_STATEMENTS'];
  if (folder === undefined) return;
  const append = (one: Collected) => appendFileSync(`${folder}/${process.pid}`, `${JSON.stringify(one)}\n`);
  const query = client.query.bind(client) as (statement: unknown, values?: unknown) => Promise<unknown>;
  const noteTransaction = tablesApart((text, together) => {
    const name = NAME.exec(text)?.[1] ?? senderOf();
    if (name !== null) append({ name, text: `${together.join(', ')} by ${text}`, together });
  });
  client.query = ((statement: unknown, values?: unknown) => {
    if (typeof statement === 'string') noteTransaction(statement);
    if (typeof statement === 'string' && !seen.has(statement)) {
      seen.add(statement);
      const name = NAME.exec(statement)?.[1] ?? senderOf();
      if (name !== null) append({ name, text: statement });
    }
    return query(statement, values);
  }) as typeof client.query;
}

/** Returns the file of the service that sends the statement at hand, or null if a test does. */
function senderOf(): string | null {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error('');
  Error.stackTraceLimit = limit;
  for (const [, path] of stack.matchAll(/file:\/\/([^\s:)]+)/g)) {
    if (path!.startsWith(`${ROOT}/server/test/statements/`)) continue;
    if (!path!.startsWith(SOURCE) || path!.endsWith('.test.ts')) return null;
    const place = path!.slice(SOURCE.length);
    if (!PLUMBING.test(place)) return place;
  }
  return null;
}
