/**
 * A reader of the feed, as a program of its own: `node reader.ts BASE KEY FILE`. It stores each page together with the cursor behind it,
 * one to a line, and goes on from the last whole line when it is started again. It never ends by itself.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadPage } from '../../server/test/events/reader.ts';

/** Longer than two pages of a hundred events. */
const TAIL = 1_000_000;

const [base, key, file] = process.argv.slice(2) as [string, string, string];
let after = openStore();
const store = openSync(file, 'a');
for (;;) {
  const page = await readPage().catch(() => null);
  if (page === null) await sleep(50);
  else if (page.events.length > 0) {
    writeSync(store, `${JSON.stringify(page)}\n`);
    after = page.next;
  }
}

async function readPage(): Promise<ReadPage | null> {
  const place = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const answer = await fetch(`${base}/v1/events?wait=2&limit=100${place}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.status === 409 || answer.status === 422) {
    process.stderr.write(`the cursor is lost: ${await answer.text()}\n`);
    process.exit(1);
  }
  return answer.status === 200 ? ((await answer.json()) as ReadPage) : null;
}

/** Drops a line that was not written to its end, and returns the cursor of the last whole one. */
function openStore(): string | null {
  if (!existsSync(file)) return null;
  const open = openSync(file, 'r+');
  const { size } = fstatSync(open);
  const tail = Buffer.alloc(Math.min(size, TAIL));
  readSync(open, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf('\n') + 1;
  ftruncateSync(open, size - tail.length + end);
  closeSync(open);
  const lines = tail.subarray(0, end).toString().trimEnd().split('\n');
  const last = lines.at(-1)!;
  return last === '' ? null : (JSON.parse(last) as ReadPage).next;
}
