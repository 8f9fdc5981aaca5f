/** A receiver of webhooks for the tests: it verifies each request with the package of the specification. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { onEnd } from '#test/database.ts';

/** A request whose signature was right. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
  readonly text: string;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  /** Requests that one of the secrets has signed, in the order of arrival. */
  readonly received: Received[];
  /** Requests that no secret has signed. */
  readonly wrong: string[];
  /** Secrets that are accepted. */
  secrets: string[];
  /** What it answers. By default 204. */
  answer: (response: ServerResponse, request: Received) => void;
  close(): Promise<void>;
}

/** Opens a receiver on this machine. It is closed at the end of the tests. */
export async function openReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    wrong: [],
    secrets: [],
    answer: (response) => void response.writeHead(204).end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => receiver.close());
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    if (!receiver.secrets.some((secret) => isSignedWith(secret, body, headers))) {
      receiver.wrong.push(body);
      return void response.writeHead(401).end();
    }
    const received: Received = {
      id: headers['webhook-id']!,
      timestamp: Number(headers['webhook-timestamp']),
      body: JSON.parse(body) as Received['body'],
      text: body,
      at: Date.now(),
    };
    receiver.received.push(received);
    receiver.answer(response, received);
  }
}

function isSignedWith(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
