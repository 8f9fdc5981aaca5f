import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CommitUnknown } from '#db/database.ts';
import { isUnusableValue } from '#db/database-errors.ts';
import { BodyTooLarge } from '#request/json-body.ts';
import type { ErrorCode } from '#problems/error-codes.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { NothingHere, OutcomeUnknown, Problem, Unavailable } from '#problems/problem.ts';
import { toHeaderText } from '#text/header-text.ts';

/**
 * Turns everything that is thrown into a response. A `Problem` defines its own response, an unavailable database is a
 * 503, and anything else is a bug: it is logged once, and the caller gets no details. `noteUnavailable` decides whether the
 * database was unavailable, and logs the outage as a whole.
 */
export function answerErrors(app: FastifyInstance, noteUnavailable: (error: unknown) => boolean): void {
  app.setErrorHandler((error: Error, request, reply) =>
    sendProblem(reply, toProblem(error, request, noteUnavailable)),
  );
}

/** Sends a problem. It must not be cached, because its cause may be gone in a moment. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.hint !== null) reply.header('x-error-hint', toHeaderText(problem.hint));
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .header('x-error-code', problem.code)
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.body());
}

function toProblem(
  error: Error,
  request: FastifyRequest,
  noteUnavailable: (error: unknown) => boolean,
): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new BodyTooLarge(request.routeOptions.bodyLimit);
  // Fastify's own refusals (such as a body shorter than its Content-Length) and those of plugins have a status below
  // 500.
  if (statusCode === 403) return new NothingHere();
  if (statusCode >= 400 && statusCode < 500)
    return new Problem(
      statusCode,
      'malformed_http',
      'the request could not be read: check its length and encoding',
    );
  const problem = problemOfDatabase(error, noteUnavailable);
  if (problem instanceof InvalidRequest)
    request.log.error(
      { err: error, requestId: request.id },
      'a value reached the database that it cannot store',
    );
  if (problem !== null) return problem;
  request.log.error({ err: error, requestId: request.id }, 'unexpected error');
  return new Problem(500, 'internal', 'internal error', {
    hint: 'This is a defect of the service. Report it with the X-Request-Id of this response.',
  });
}

/** Returns the refusal for an error of the database that is no defect of the service; null for any other error. */
export function problemOfDatabase(
  error: unknown,
  noteUnavailable: (error: unknown) => boolean,
): Problem | null {
  const isAway = noteUnavailable(error);
  if (error instanceof CommitUnknown) return new OutcomeUnknown();
  if (isAway) return new Unavailable();
  if (!isUnusableValue(error)) return null;
  return new InvalidRequest(
    [
      {
        loc: ['body'],
        msg: 'Value error, the request contains a value that cannot be stored',
        type: 'value_error',
      },
    ],
    'invalid',
    'A text or number of the request cannot be stored. Send printable text and ordinary numbers.',
  );
}

/** Answers 404 to a path that cannot be decoded or whose parameter is longer than any code or ID. */
export function answerUnroutable(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(reply, new NothingHere());
}

/** Set on a socket whose last answer said that nothing after it is answered. */
export const SAID_LAST = Symbol('said last');

/** Answers input that never became a request: invalid HTTP, oversized headers, or a client that was too slow. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (SAID_LAST in socket) {
    socket.destroySoon();
    return;
  }
  // After part of another answer this one would be read as the rest of it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.writableLength > 0) {
    socket.destroy();
    return;
  }
  const [status, code, message] = BROKEN_HTTP[error.code ?? ''] ?? [
    '400 Bad Request',
    'malformed_http',
    'the request is not valid HTTP: check its first line and its headers',
  ];
  const body = JSON.stringify({ message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Error-Code: ${code}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const BROKEN_HTTP: Readonly<Record<string, [status: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'the headers are too large: send at most 16 KiB',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    '413 Content Too Large',
    'body_too_large',
    'the body is too large: send it without chunk extensions',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'the request took too long to arrive: send it again',
  ],
};
