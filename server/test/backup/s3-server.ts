import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A server that speaks as much of S3's protocol as backups need, and checks every signature. */
export interface S3Server {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: Map<string, Buffer>;
  /** Operations in the order of their calls, such as `PUT` and `POST uploads`. */
  readonly calls: string[];
  /** The next downloads lose their connection after so many bytes. */
  readonly cuts: number[];
  /** The next calls are answered with these statuses. */
  readonly busy: number[];
  /** Parts of uploads with these numbers are refused. */
  readonly refusedParts: Set<number>;
  /** The next downloads fall silent after so many bytes. */
  readonly silences: number[];
  /** Methods that the key may not use. */
  readonly forbidden: Set<string>;
  /** Uploads that are neither complete nor aborted. */
  readonly open: Map<string, Map<number, Buffer>>;
  stop(): Promise<void>;
}

export const KEY_ID = 'AKIATEST';
export const SECRET = 'secret-of-the-test';

/** Amazon's has 1,000. */
const PAGE = 3;

export async function startS3(bucket: string): Promise<S3Server> {
  const state = {
    objects: new Map(),
    calls: [] as string[],
    cuts: [] as number[],
    busy: [] as number[],
    refusedParts: new Set<number>(),
    silences: [] as number[],
    forbidden: new Set<string>(),
    open: new Map(),
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...state,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url!, 'http://s3');
    const path = decodeURIComponent(url.pathname.slice(1));
    const query = url.searchParams;
    state.calls.push([request.method, ...[...query.keys()].filter((key) => key !== 'x-id')].join(' '));
    if (!isSigned(request, url, body)) return fail(response, 403, 'SignatureDoesNotMatch');
    const busy = state.busy.shift();
    if (busy !== undefined) return fail(response, busy, 'SlowDown', request.method === 'HEAD');
    if (state.forbidden.has(request.method!))
      return fail(response, 403, 'AccessDenied', request.method === 'HEAD');
    if (path !== bucket && !path.startsWith(`${bucket}/`)) return fail(response, 404, 'NoSuchBucket');
    if (request.method === 'GET' && query.has('list-type')) return list(response, query);
    if (request.method === 'POST' && query.has('uploads')) return begin(response, path);
    if (state.refusedParts.has(Number(query.get('partNumber')))) return fail(response, 403, 'AccessDenied');
    const upload = state.open.get(query.get('uploadId') ?? '');
    if (query.has('uploadId') && upload === undefined) return fail(response, 404, 'NoSuchUpload');
    if (request.method === 'PUT') {
      if (upload === undefined) state.objects.set(path, body);
      else upload.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (request.method === 'POST') return complete(response, path, query.get('uploadId')!);
    if (request.method === 'DELETE') {
      if (upload === undefined) state.objects.delete(path);
      else state.open.delete(query.get('uploadId')!);
      return void response.writeHead(204).end();
    }
    const object = state.objects.get(path);
    if (object === undefined) return fail(response, 404, 'NoSuchKey', request.method === 'HEAD');
    if (![undefined, etagOf(object)].includes(request.headers['if-match']))
      return fail(response, 412, 'PreconditionFailed');
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const sent = object.subarray(from);
    response.writeHead(from > 0 || request.headers.range !== undefined ? 206 : 200, {
      'content-length': sent.length,
      'content-range': `bytes ${from}-${object.length - 1}/${object.length}`,
      etag: etagOf(object),
    });
    if (request.method === 'HEAD') return void response.end();
    const silence = state.silences.shift();
    if (silence !== undefined) return void response.write(sent.subarray(0, silence));
    const cut = state.cuts.shift();
    if (cut === undefined) return void response.end(sent);
    response.write(sent.subarray(0, cut), () => response.destroy());
  }

  function list(response: ServerResponse, query: URLSearchParams): void {
    const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
    const found = [...state.objects]
      .filter(([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const from = Number(query.get('continuation-token') ?? 0);
    const next = from + PAGE;
    const contents = found
      .slice(from, next)
      .map(
        ([key, object]) =>
          `<Contents><Key>${key.slice(bucket.length + 1)}</Key><Size>${object.length}</Size></Contents>`,
      );
    sendXml(
      response,
      `<ListBucketResult>${
        next < found.length
          ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
          : '<IsTruncated>false</IsTruncated>'
      }${contents.join('')}</ListBucketResult>`,
    );
  }

  function begin(response: ServerResponse, path: string): void {
    const id = `upload-${state.open.size + 1}`;
    state.open.set(id, new Map());
    sendXml(
      response,
      `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${path}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  function complete(response: ServerResponse, path: string, id: string): void {
    const parts = [...state.open.get(id)!].sort(([a], [b]) => a - b).map(([, part]) => part as Buffer);
    state.objects.set(path, Buffer.concat(parts));
    state.open.delete(id);
    sendXml(response, `<CompleteMultipartUploadResult><Key>${path}</Key></CompleteMultipartUploadResult>`);
  }
}

/** Signature version 4, computed anew from the request as it came over the wire. */
function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (found === null || found[1] !== KEY_ID) return false;
  const [, , day, region, names, signature] = found as unknown as string[];
  const stated = String(request.headers['x-amz-content-sha256']);
  if (stated !== 'UNSIGNED-PAYLOAD' && stated !== sha256(body)) return false;
  const query = [...url.searchParams]
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
    .toSorted()
    .join('&');
  const headers = names!.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(''), names, stated].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    scope,
    sha256(Buffer.from(canonical)),
  ].join('\n');
  const key = [day!, region!, 's3', 'aws4_request'].reduce<Buffer>(
    (secret, text) => createHmac('sha256', secret).update(text).digest(),
    Buffer.from(`AWS4${SECRET}`),
  );
  return timingSafeEqual(createHmac('sha256', key).update(toSign).digest(), Buffer.from(signature!, 'hex'));
}

function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function sendXml(response: ServerResponse, xml: string): void {
  response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function fail(response: ServerResponse, status: number, code: string, isHead = false): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    isHead ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  );
}
