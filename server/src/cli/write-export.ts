import { once } from 'node:events';
import { sql, transaction, type Database, type Db } from '#db/database.ts';
import type { Part } from '#exports/export-members.ts';
import { writeHeader, writeRows, type Format } from '#exports/write-rows.ts';
import { createProgressBar } from './progress.ts';
import { printMessage, writeCount } from './terminal.ts';

/**
 * Writes an export to stdout, in one snapshot of the database and in bounded memory, with the progress on stderr. A reader
 * may take as long as it wants.
 */
export async function writeExport(
  database: Database,
  { columns, format, noun }: { columns: readonly string[]; format: Format; noun: string },
  read: (db: Db) => AsyncIterable<Part>,
): Promise<void> {
  const bar = createProgressBar();
  let written = 0;
  await transaction(
    database,
    async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await write(writeHeader(columns, format));
      for await (const { rows, done } of read(tx)) {
        await write(writeRows(rows, format));
        written += rows.length;
        bar.show(done, writeCount(written, noun));
      }
    },
    { snapshot: true, mayRepeat: false },
  ).finally(() => bar.end());
  if (process.stderr.isTTY) printMessage(`${writeCount(written, noun)}.`);
}

async function write(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
