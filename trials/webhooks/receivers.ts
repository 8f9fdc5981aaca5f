/** Receivers for `run.ts`, one at each path: healthy ones, and sick ones of each kind. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the healthy receivers got. */
export interface ReceiverReport {
  /** Milliseconds from the moment an event was recorded to its receipt, each once. */
  readonly ages: readonly number[];
}

const ages: number[] = [];
const LONG = 100_000_000;

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/healthy': (response) => response.writeHead(204).end(),
  '/hangs': () => {},
  '/crawls': (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('x'), 1_000);
    response.on('close', () => clearInterval(timer));
  },
  '/floods': (response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': LONG });
    const part = Buffer.alloc(65_536, 'x');
    const more = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more);
    more();
  },
  '/fails': (response) => response.writeHead(500).end(),
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { url = '' } = request;
    if (url === '/healthy') {
      const { timestamp } = JSON.parse(Buffer.concat(parts).toString()) as { timestamp: string };
      ages.push(Date.now() - new Date(timestamp).getTime());
    }
    answers[url]?.(response);
  });
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));

process.on('message', (question) => {
  if (question === 'reset') ages.length = 0;
  process.send!({ ages } satisfies ReceiverReport);
});
