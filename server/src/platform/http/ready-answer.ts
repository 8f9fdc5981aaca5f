import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';

/**
 * Sends the response stored under `name`, or builds it with `make` and stores it. Sends a 304 if the caller already has
 * it. Equal names must always mean equal responses, on all routes, so a name must contain everything that the response
 * depends on.
 */
export type SendReady = (reply: FastifyReply, name: string, make: () => unknown) => FastifyReply;

/** Keeps responses in memory as bytes with an ETag, and drops those least recently used. */
export function keepAnswers(mostBytes = 32 * 1024 * 1024): SendReady {
  const kept = new LRUCache<string, ReadyAnswer>({
    maxSize: mostBytes,
    sizeCalculation: ({ body }, name) => body.byteLength + name.length,
  });
  return (reply, name, make) => {
    const existing = kept.get(name);
    if (existing !== undefined) return sendReadyAnswer(reply, existing);
    const made = buildReadyAnswer(reply, make());
    kept.set(name, made);
    return sendReadyAnswer(reply, made);
  };
}

interface ReadyAnswer {
  readonly body: Buffer;
  readonly etag: string;
}

/**
 * Serialises the payload with the route's schema, as Fastify would, so fields that the schema does not name are left
 * out.
 */
function buildReadyAnswer(reply: FastifyReply, payload: unknown): ReadyAnswer {
  const text = reply.serialize(payload) as string;
  // Not from Node's buffer pool: a small slice of it would keep the pool's whole 64 KB in memory.
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  body.write(text);
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, 22)}"` };
}

function sendReadyAnswer(reply: FastifyReply, { body, etag }: ReadyAnswer): FastifyReply {
  reply.header('etag', etag);
  const { method, headers } = reply.request;
  const hasIt = hasTag(headers['if-none-match'], etag);
  if (hasIt) reply.code(304);
  // For a HEAD, Fastify takes the Content-Length from the body that it gets and does not send the body.
  if (hasIt && method !== 'HEAD') return reply.send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/**
 * Returns true if `If-None-Match` contains the tag. Tags are compared weakly, because a proxy that compresses a
 * response adds `W/` to its tag. Searching the text is safe: our tags contain no commas, and no quotes inside.
 */
function hasTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && (ifNoneMatch.includes(etag) || ifNoneMatch.trim() === '*');
}
