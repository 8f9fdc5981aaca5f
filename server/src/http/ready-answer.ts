import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';

/**
 * Answers with what stands under that name, or with what `make` gives, which is then kept; with a 304 where the
 * caller has it already. Equal names have to mean equal answers, for good and on every route that uses them: a name
 * says all that its answer follows from.
 */
export type SendReady = (reply: FastifyReply, name: string, make: () => unknown) => FastifyReply;

/** Keeps answers as the bytes that go over the wire, each with its ETag; what was asked for last stays. */
export function keepAnswers(mostBytes = 32 * 1024 * 1024): SendReady {
  const kept = new LRUCache<string, ReadyAnswer>({
    maxSize: mostBytes,
    sizeCalculation: ({ body }, name) => body.byteLength + name.length,
  });
  return (reply, name, make) => {
    const known = kept.get(name);
    if (known !== undefined) return send(reply, known);
    const made = readyAnswer(reply, make());
    kept.set(name, made);
    return send(reply, made);
  };
}

interface ReadyAnswer {
  readonly body: Buffer;
  readonly etag: string;
}

/** Written by the schema of the route, as Fastify would: what the schema does not name is left out. */
function readyAnswer(reply: FastifyReply, payload: unknown): ReadyAnswer {
  const text = reply.serialize(payload) as string;
  // Of its own: a small one that is cut out of a pool would keep 64 KB for as long as it is kept.
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  body.write(text);
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, 22)}"` };
}

function send(reply: FastifyReply, { body, etag }: ReadyAnswer): FastifyReply {
  reply.header('etag', etag);
  const { method, headers } = reply.request;
  const isKept = has(headers['if-none-match'], etag);
  if (isKept) reply.code(304);
  // To a HEAD Fastify tells the length of what it is given and leaves the rest out; of nothing it would say 0.
  if (isKept && method !== 'HEAD') return reply.send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/**
 * Whether a list of tags has that one, compared weakly as `If-None-Match` is: a proxy that compresses an answer puts
 * `W/` before its tag. Ours has neither comma nor quote inside, so its text stands in a list only where it is meant.
 */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && (ifNoneMatch.includes(etag) || ifNoneMatch.trim() === '*');
}
