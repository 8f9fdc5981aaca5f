/**
 * The limit behind HTTP: node:http, the driver and the statements of `limit.ts`, with the calls that arrive during one
 * statement in the next. It has no credentials, no checks, no programs and no rules. It shows how much of the way from
 * the limit to the service is HTTP and the driver.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client } from 'pg';
import { SESSION_OPTIONS } from '../server/src/platform/db/database.ts';
import { BATCH, createBatches } from './limit.ts';
import { codeOf } from './load-members.ts';

interface Call {
  readonly member: number;
  readonly amount: number;
  readonly voucher: number;
  readonly response: ServerResponse;
}

const client = new Client({ connectionString: process.env['DATABASE_URL']!, options: SESSION_OPTIONS });
await client.connect();
const { buy, balances, exchange } = createBatches(client);
const queues = {
  purchases: createQueue(201, buy),
  balances: createQueue(200, (calls) => balances(calls.map(({ member }) => member))),
  exchanges: createQueue(201, exchange),
};
/** Far from those of the limit itself. */
let vouchers = 1_000_000_000_000;

createServer((request, response) => {
  const [, kind, code] = request.url!.split('/') as [string, keyof typeof queues | '', string];
  if (kind === '') response.end('ready');
  else if (kind === 'balances') submit(kind, Number(code), 0, response);
  else read(request, ({ client_code, amount }) => submit(kind, client_code, amount, response));
}).listen(Number(process.env['PORT']), '127.0.0.1');

function submit(kind: keyof typeof queues, code: number, amount: number, response: ServerResponse): void {
  queues[kind].add({ member: code - codeOf(0), amount, voucher: vouchers++, response });
}

function read(
  request: IncomingMessage,
  onBody: (body: { client_code: number; amount: number }) => void,
): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (text += chunk));
  request.on('end', () => onBody(JSON.parse(text) as { client_code: number; amount: number }));
}

/** Answers the calls of one kind in batches, one after the other, in which nobody is twice. */
function createQueue(status: number, run: (calls: Call[]) => Promise<{ code: string }[]>) {
  let waiting: Call[] = [];
  let isRunning = false;
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = new Map<number, Call>();
      const later: Call[] = [];
      for (const call of waiting) {
        if (batch.size < BATCH && !batch.has(call.member)) batch.set(call.member, call);
        else later.push(call);
      }
      waiting = later;
      const rows = new Map((await run([...batch.values()])).map((row) => [Number(row.code), row]));
      for (const { member, response } of batch.values()) answer(response, rows.get(codeOf(member)));
    }
    isRunning = false;
  };
  const answer = (response: ServerResponse, row: object | undefined) => {
    const body = JSON.stringify(row ?? {});
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(row === undefined ? 409 : status, headers).end(body);
  };
  return {
    add(call: Call): void {
      waiting.push(call);
      if (isRunning) return;
      isRunning = true;
      setImmediate(() => void flush());
    },
  };
}
