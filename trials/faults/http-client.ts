/** Sends calls over kept connections. Lighter than `fetch`, so that the load takes little from the service under test. */
import { Agent, request } from 'node:http';

export interface Answer {
  /** 0 if no complete answer came. */
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Client {
  send(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Answer>;
  close(): void;
}

const PATIENCE_MS = 30_000;

export function createClient(): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (method, url, headers, body) =>
      new Promise((resolve) => {
        const none = () => resolve({ status: 0, body: '', headers: {} });
        const text = body === undefined ? '' : JSON.stringify(body);
        const call = request(
          url,
          {
            method,
            agent,
            timeout: PATIENCE_MS,
            headers: {
              ...headers,
              ...(body !== undefined && {
                'content-type': 'application/json',
                'content-length': String(Buffer.byteLength(text)),
              }),
            },
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('end', () =>
              resolve({
                status: answer.statusCode!,
                body: Buffer.concat(chunks).toString(),
                headers: answer.headers,
              }),
            );
            answer.on('error', none);
            answer.on('close', none);
          },
        );
        call.on('timeout', () => call.destroy());
        call.on('error', none);
        call.end(text);
      }),
    close: () => agent.destroy(),
  };
}
