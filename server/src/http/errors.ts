import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway, isUnusableValue } from '#db/database-errors.ts';
import { InvalidRequest, NOT_AN_OBJECT } from '#problems/invalid-request.ts';
import { Problem, Unavailable } from '#problems/problem.ts';

/**
 * The one place where what was thrown becomes an answer. A named outcome answers for itself; a database that is away
 * is a 503; anything else is a bug, logged once and told to nobody.
 */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: Error, request, reply) => send(reply, problemOf(error, request)));
}

/** Answers with the status, headers and body of a problem; nobody keeps it, for it may be gone in a moment. */
export function send(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.body());
}

function problemOf(error: Error, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem(413, 'the body is too large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new InvalidRequest([{ loc: ['body'], ...NOT_AN_OBJECT }]);
  // What Fastify refuses itself (a body shorter than it said) and what plugins refuse carries a status below 500.
  if (statusCode >= 400 && statusCode < 500) return new Problem(statusCode, 'the request cannot be read');
  if (isDatabaseAway(error)) {
    request.log.warn({ err: error, reqId: request.id }, 'the database is not available');
    return new Unavailable();
  }
  if (isUnusableValue(error)) {
    request.log.error({ err: error, reqId: request.id }, 'a value reached the database that it cannot hold');
    return new InvalidRequest([
      { loc: ['body'], msg: 'Value error, a value cannot be stored', type: 'value_error' },
    ]);
  }
  request.log.error({ err: error, reqId: request.id }, 'unexpected error');
  return new Problem(500, 'internal error');
}

/** A path that cannot be decoded, or with a parameter beyond any code or id: nothing is there. */
export function answerUnroutable(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  send(reply, new Problem(404, 'there is nothing at this address'));
}

/** What never became a request: broken HTTP, headers beyond all measure, a client that did not go on in time. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'the request is not HTTP'];
  const body = JSON.stringify({ message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const BROKEN: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'the body is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};
