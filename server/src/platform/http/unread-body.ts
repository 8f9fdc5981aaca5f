import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { SAID_LAST } from './errors.ts';

/** A caller who sends more than this after an answer that does not need it may lose the answer. */
const MOST_BYTES = 1_000_000;
/** A caller who sends slower than this may lose the answer, too. */
const MOST_MS = 2_000;

/**
 * Reads what a caller still sends before an answer closes the connection. If a connection closes with unread bytes, the
 * kernel resets it, and the caller loses whatever part of the answer has not arrived yet (RFC 9112, section 9.6).
 */
export function readBeforeClosing(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    const closes = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
    if (raw.complete || !closes || !hasBody(raw) || SAID_LAST in raw.socket) {
      done(null, payload);
      return;
    }
    let bytes = 0;
    const timer = setTimeout(answer, MOST_MS);
    raw.on('data', count).on('end', answer).on('close', answer).resume();
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) answer();
    }
    function answer(): void {
      clearTimeout(timer);
      raw.off('data', count).off('end', answer).off('close', answer);
      done(null, payload);
    }
  });
}

/** An answer to a call without a body must not wait: what its caller sends next is not part of it. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
