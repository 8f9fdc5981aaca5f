import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { service, type Answer } from './harness.ts';

/**
 * Makes a call with exactly these headers, in order and with duplicates, which `fetch` would join. Like every response,
 * this one is checked against the published documents.
 */
export async function rawRequest(
  method: string,
  path: string,
  headers: readonly (readonly [name: string, value: string])[],
  body?: unknown,
): Promise<Answer> {
  const { url, check } = await service();
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const typed =
    sent === undefined
      ? []
      : ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(sent))];
  const call = request(url + path, { method, headers: ['host', 'x', ...headers.flat(), ...typed] });
  call.end(sent);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const answered = await text(response);
  const status = response.statusCode ?? 0;
  const contentType = response.headers['content-type'] ?? null;
  const isJson = contentType?.startsWith('application/json') === true && answered !== '';
  const parsed: unknown = isJson ? JSON.parse(answered) : answered;
  const wrong = check(method, path, { status, contentType, body: parsed });
  if (wrong !== null) assert.fail(wrong);
  const received = new Headers(response.headers as Record<string, string>);
  return { status, headers: received, body: parsed, text: answered };
}
