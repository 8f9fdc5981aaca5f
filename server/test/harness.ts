import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../src/app.ts';
import { createAside, type Aside } from '#aside/aside.ts';
import { createCaps } from '#base/caps.ts';
import type { Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import type { SecretKeys } from '../src/platform/settings/secret-key.ts';
import { onEnd, testDatabase } from './database.ts';
import { whyWrongCode } from './error-code.ts';
import { LOOPBACK } from './webhooks/loopback.ts';
import { answerCheckOf, type AnswerCheck, type OpenApi } from './published.ts';

/** The running service of this test process. Each process has its own database, and each test its own commerce. */
export interface Service {
  readonly db: Database;
  readonly app: App;
  readonly url: string;
  /** Checks a response against the published documents. */
  readonly check: AnswerCheck;
}

/** The key with which the service of the tests signs tokens and cursors. */
export const SECRET: SecretKeys = ['o1Bc0QDrmYhmUcAKkxKs1wGq6aQZcCmAEYBLQjvQQvE='];

let started: Promise<Service> | undefined;

/** Large work takes as long as it takes: a machine that runs many tests at once can be ten times slower than a shop's. */
export function patientAside(): Aside {
  return createAside(createCaps(), { longestMs: 120_000, longestWaitMs: 120_000 });
}

export function service(): Promise<Service> {
  started ??= start();
  return started;
}

/** A response, as tests see it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, else the text. */
  readonly body: unknown;
  readonly text: string;
}

/** Makes one HTTP call. A `body` is sent as JSON, `raw` as it is. Fails on a response that the documents do not allow. */
export async function call(
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: unknown; raw?: string | Uint8Array<ArrayBuffer> } = {},
): Promise<Answer> {
  const { url, check } = await service();
  const sent = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(url + path, {
    method,
    headers: { ...(sent !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const body: unknown = contentType?.startsWith('application/json') === true ? JSON.parse(text) : text;
  const wrong =
    check(method, path, { status: response.status, contentType, body }) ??
    whyWrongCode(response.status, response.headers);
  if (wrong !== null) assert.fail(wrong);
  return { status: response.status, headers: response.headers, body, text };
}

async function start(): Promise<Service> {
  const db = await testDatabase();
  const app = await buildApp({
    db,
    log: false,
    secret: SECRET,
    aside: patientAside(),
    webhookRules: LOOPBACK,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onEnd(() => app.close());
  const documents = await readDocuments(app);
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { db, app, url, check: answerCheckOf(documents) };
}

/** Reads the published documents. They depend on the source only, so the first process of a run keeps them for the others. */
async function readDocuments(app: App): Promise<OpenApi[]> {
  const kept = process.env['TEST_DOCUMENTS'];
  if (kept !== undefined && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as OpenApi[];
  const documents = await Promise.all(
    ['/openapi.json', '/openapi-extensions.json', '/admin/openapi.json'].map(async (path) =>
      (await app.inject({ url: path })).json<OpenApi>(),
    ),
  );
  if (kept !== undefined) {
    writeFileSync(`${kept}.${process.pid}`, JSON.stringify(documents));
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return documents;
}
