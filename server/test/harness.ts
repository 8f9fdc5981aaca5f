import type { AddressInfo } from 'node:net';
import { buildApp } from '../src/app.ts';
import type { Database } from '#db/database.ts';
import { onEnd, testDatabase } from './database.ts';

/** The service of this test process, listening, on a database of its own. Commerces keep the tests apart. */
export interface Service {
  readonly db: Database;
  readonly url: string;
}

let started: Promise<Service> | undefined;

export function service(): Promise<Service> {
  started ??= start();
  return started;
}

/** An answer as a test looks at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed, where it is JSON. */
  readonly body: unknown;
  readonly text: string;
}

/** One call over HTTP. A body is sent as JSON. */
export async function call(
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  const { url } = await service();
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
}

async function start(): Promise<Service> {
  const db = await testDatabase();
  const app = await buildApp({ db, log: false, secret: 'a secret of the tests, 32 characters' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onEnd(() => app.close());
  return { db, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
}
