import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Caps } from '#base/caps.ts';
import { ownLedger, type Ledger } from '#http/ledger.ts';
import type { StillGood } from '#http/still-good.ts';
import { Overloaded } from '#problems/problem.ts';
import type { Part } from './export-members.ts';
import { SPREADSHEET_MARK, writeHeader, writeRows, type Format } from './write-rows.ts';

/** Pages of exports that are read at the same time, each on a connection of its own. */
const MOST_AT_ONCE = 2;
const LONGEST_WAIT_MS = 2_000;

/** A file that is sent while it is read. */
export interface ExportedFile {
  /** Without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly format: Format;
  readonly parts: AsyncGenerator<Part, void>;
  /** True if a person opens it: a spreadsheet reads UTF-8 only behind a byte order mark. */
  readonly isForPeople?: boolean;
}

export interface ExportSender {
  /** Answers with the file as a stream. A commerce has one export at a time, and exports wait in a line of their own. */
  send(reply: FastifyReply, commerceId: number, file: ExportedFile): Promise<never>;
  /** Ends the exports that are running. Their callers notice, because the end of the stream is missing. */
  stop(): void;
}

/**
 * Creates the sender of all exports over HTTP. Each page is one statement or a few, so no transaction waits for a caller who
 * reads slowly, and only one page is in memory. A file ends with the credential that asked for it, without its end.
 */
export function createExportSender(
  caps: Caps,
  isStillGood: StillGood,
  ledger: Pick<Ledger, 'semaphore'> = ownLedger,
): ExportSender {
  const commerces = ledger.semaphore('exports of a commerce', 1);
  const pages = ledger.semaphore('pages of exports', MOST_AT_ONCE);
  const running = new Set<Readable>();

  return {
    /** The first page is read before the answer begins, so that a failure still has a status. */
    async send(reply, commerceId, file) {
      const { name, format, parts } = file;
      const commerce = String(commerceId);
      if (!(await commerces.enter(commerce, performance.now() + LONGEST_WAIT_MS))) {
        caps.refused('calls-of-a-commerce');
        throw new Overloaded('an export of this commerce is running');
      }
      let stream: Readable;
      try {
        const first = await readPage(parts);
        const mayGoOn = () => isStillGood(reply.request);
        stream = Readable.from(write(first, file, mayGoOn), { objectMode: false });
      } catch (error) {
        commerces.leave(commerce);
        throw error;
      }
      running.add(stream);
      stream.once('close', () => {
        running.delete(stream);
        commerces.leave(commerce);
      });
      void reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}.${format}"`)
        .header('cache-control', 'no-store');
      // Returning the reply would count as handling the call until all of the stream is sent.
      return stream as never;
    },

    stop() {
      for (const stream of running) stream.destroy();
    },
  };

  async function readPage(parts: AsyncGenerator<Part, void>): Promise<Part | null> {
    if (!(await pages.enter('', performance.now() + LONGEST_WAIT_MS))) {
      caps.refused('calls-of-a-commerce');
      throw new Overloaded('too many exports at once');
    }
    try {
      const { value, done } = await parts.next();
      return done === true ? null : value;
    } finally {
      pages.leave('');
    }
  }

  async function* write(
    first: Part | null,
    { columns, format, parts, isForPeople = false }: ExportedFile,
    mayGoOn: () => Promise<boolean>,
  ): AsyncGenerator<string, void> {
    const header = writeHeader(columns, format);
    if (header !== '') yield (isForPeople ? SPREADSHEET_MARK : '') + header;
    for (let part = first; part !== null; part = await readPage(parts)) {
      const text = writeRows(part.rows, format);
      if (text !== '') yield text;
      if (!(await mayGoOn())) throw new Error('the credential has ended');
    }
  }
}
