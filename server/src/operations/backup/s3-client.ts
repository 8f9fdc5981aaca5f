import { AwsV4Signer } from 'aws4fetch';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { request as requestHttp } from '#base/node-http.ts';
import { keepCredentials } from './aws-credentials.ts';

/** A bucket refused a call. `name` is the word of its protocol, such as `NoSuchBucket`. */
export class S3Error extends Error {
  override readonly name: string;
  readonly status: number;
  constructor(name: string, message: string, status: number) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** A call to a bucket. */
interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without it, the call is about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** Sends calls to one bucket. @throws S3Error, or the error of the connection */
export interface S3Client {
  /** Resolves when the answer begins. Its body has to be read. */
  send(call: S3Call): Promise<IncomingMessage>;
  /** The same for a short answer: resolves with its body. */
  ask(call: S3Call): Promise<string>;
}

/**
 * Returns a client for a bucket of the server that the environment names, as for every AWS tool. A call that fails on the way, or for
 * which the server has no time, is sent three times. `silenceMs` is how long a connection may say nothing.
 */
export function createS3Client(bucket: string, silenceMs: number): S3Client {
  const { env } = process;
  const elsewhere = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const base = addressOf(bucket, region, elsewhere);
  const credentials = keepCredentials();

  async function sendOnce({ method, key, query = {}, headers = {}, body }: S3Call): Promise<IncomingMessage> {
    const url = new URL(base);
    if (key !== undefined) url.pathname += `${url.pathname.endsWith('/') ? '' : '/'}${escapeKey(key)}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    }).sign();
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const sent = (signed.url.protocol === 'https:' ? requestHttps : requestHttp)(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), 'content-length': String(bytes?.length ?? 0) },
      timeout: silenceMs,
    });
    const silent = () => sent.destroy(new S3Error('TimeoutError', `nothing came for ${silenceMs} ms`, 0));
    sent.on('timeout', silent);
    // Once the answer has begun, its reader hears of what happens to the connection.
    sent.on('error', () => {});
    sent.end(bytes);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode! < 300) return response;
    throw await errorOf(response, method);
  }

  const send: S3Client['send'] = async (call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await sendOnce(call);
      } catch (error) {
        if (tries === TRIES || !isPassing(error)) throw error;
        await pause(tries * PAUSE_MS);
      }
    }
  };
  return {
    send,
    async ask(call) {
      const answer = await text(await send(call));
      // An upload can fail after its answer has begun with 200.
      if (/<Error>/.test(answer)) throw new S3Error(...wordsOf(answer), 200);
      return answer;
    },
  };
}

const TRIES = 3;
const PAUSE_MS = 200;

/** Servers other than Amazon's rarely know buckets as host names, and certificates know none with a dot. */
function addressOf(bucket: string, region: string, elsewhere: string | undefined): string {
  if (elsewhere !== undefined) return `${elsewhere.replace(/\/+$/, '')}/${bucket}`;
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}`;
  return `https://${bucket}.s3.${region}.amazonaws.com/`;
}

function escapeKey(key: string): string {
  const escape = (part: string) =>
    encodeURIComponent(part).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return key.split('/').map(escape).join('/');
}

/** Returns why a call was refused. The answer to a HEAD has no words. */
async function errorOf(response: IncomingMessage, method: string): Promise<S3Error> {
  const status = response.statusCode!;
  const said = await text(response);
  const region = response.headers['x-amz-bucket-region'];
  if (status === 301 && region !== undefined)
    return new S3Error('PermanentRedirect', `the bucket is in ${String(region)}: set AWS_REGION`, status);
  if (method !== 'HEAD' && said.includes('<Code>')) return new S3Error(...wordsOf(said), status);
  const name = { 403: 'Forbidden', 404: 'NotFound' }[status] ?? `HTTP ${status}`;
  return new S3Error(name, '', status);
}

function wordsOf(xml: string): [name: string, message: string] {
  return [elementOf(xml, 'Code') ?? 'UnknownError', elementOf(xml, 'Message') ?? ''];
}

/** Returns the text of the first element of that name. */
export function elementOf(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Errors that may be over a moment later: those of the connection, and a server without time. */
function isPassing(error: unknown): boolean {
  if (error instanceof S3Error) return error.status === 429 || (error.status >= 500 && error.status !== 501);
  return 'code' in (error as object);
}
