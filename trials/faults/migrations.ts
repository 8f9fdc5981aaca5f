/** A migration loses its connection at each message that it sends, as when its process is killed there. */
import { randomBytes } from 'node:crypto';
import { openDatabase, sql, type Database } from '../../server/src/platform/db/database.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { schemaOf } from '../../server/test/releases/schema-of.ts';
import { withoutLoad, type Outcome } from './fault.ts';
import { through } from './silence.ts';
import { startTcpProxy } from '../../server/test/tcp-proxy.ts';

/** Cuts at every `step`-th message, half of them before it is sent and half behind it. */
export async function cutMigrations(serverUrl: string, step: number): Promise<Outcome> {
  const whole = await runCut(serverUrl, Infinity, 'behind');
  const failed: string[] = [];
  let cuts = 0;
  let tries = 0;
  for (let message = 1; message <= whole.messages; message += step) {
    const { wasCut, schema } = await runCut(serverUrl, message, cuts % 2 === 0 ? 'before' : 'behind');
    tries += 1;
    if (wasCut) cuts += 1;
    if (schema !== whole.schema) failed.push(`cut at message ${message}, the schema is another one`);
  }
  // A migration outlives a cut of a connection that it does not need any more, as behind its last message.
  if (cuts < 0.9 * tries) failed.push(`only ${cuts} of ${tries} migrations were cut`);
  return withoutLoad('cuts of migrations', failed, {
    'migrations cut': cuts,
    'messages of all': whole.messages,
  });
}

async function runCut(
  serverUrl: string,
  message: number,
  moment: 'before' | 'behind',
): Promise<{ messages: number; wasCut: boolean; schema: string }> {
  const name = `migrated_${process.pid}_${randomBytes(4).toString('hex')}`;
  const admin = openDatabase({ url: serverUrl, poolSize: 1, preparedStatements: false });
  await sql`create database ${sql.id(name)}`.execute(admin);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` });
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  const direct = open(url.href);
  try {
    const before = proxy.messages();
    proxy.cutAtMessage(message, moment);
    const victim = open(through(url, proxy.port));
    const wasCut = await migrate(victim).then(
      () => false,
      () => true,
    );
    await victim.destroy();
    const messages = proxy.messages() - before;
    await migrate(direct);
    return { messages, wasCut, schema: (await schemaOf(direct)).join('\n') };
  } finally {
    await direct.destroy();
    await proxy.close();
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
    await admin.destroy();
  }
}

function open(url: string): Database {
  return openDatabase({ url, poolSize: 2, preparedStatements: false, statementTimeoutMs: 0 });
}
