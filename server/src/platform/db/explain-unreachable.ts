/**
 * Says in words why a database cannot be used, with the variable that names it and what to do next. The address is told without its
 * password.
 */
import { Refusal } from '#base/refusal.ts';
import { MachineBehind } from './cluster/heartbeat.ts';
import { NoConnection } from './database-errors.ts';

/** Which variable names the database, and its value. */
export interface NamedAddress {
  readonly name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_OWNER_URL';
  readonly url: string;
}

/** The database cannot be used, for a reason that the operator can mend. */
export class Unreachable extends Refusal {}

/** Returns an `Unreachable` if no connection could be opened, else the error as it is: a statement may fail for the same reasons. */
export function explainUnreachable(error: unknown, { name, url }: NamedAddress): unknown {
  if (!(error instanceof NoConnection)) return error;
  if (error.cause instanceof MachineBehind)
    return new Unreachable(`The database cannot be used: ${error.message}`, { cause: error });
  const why = explain(rootsOf(error), placeOf(url), name);
  return why === null ? error : new Unreachable(`The database cannot be reached: ${why}`, { cause: error });
}

interface Where {
  readonly server: string;
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

function explain(errors: readonly Error[], where: Where, name: string): string | null {
  for (const error of errors) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const sentence = BY_CODE[code]?.(where, name, message) ?? byMessage(message, where, name);
    if (sentence != null) return sentence;
  }
  return null;
}

type Explain = (where: Where, name: string, message: string) => string;

const unknownHost: Explain = ({ host }, name) =>
  `${name} names the host ${host}, which this machine cannot find. Correct the name, or see whether its DNS works.`;
const noAnswer: Explain = ({ server }, name) =>
  `${server}, the address in ${name}, does not answer. Correct it, or open the way through the firewall.`;
const refusedSignIn: Explain = ({ user, server }, name, message) =>
  `${server} refuses the sign-in of the role "${user}" (${message}). Correct the role and the password in ${name}, or pg_hba.conf of that server.`;
const untrusted: Explain = ({ server }, name, message) =>
  `the certificate of ${server} is not trusted (${message}). Append sslrootcert=/path/to/ca.pem, the certificate of its authority, to ${name}, as in \`?sslmode=verify-full&sslrootcert=/path/to/ca.pem\`.`;
const full: Explain = ({ server }, name) =>
  `${server} has no connection left. Raise max_connections there, make DATABASE_POOL_SIZE smaller, or end what holds its connections; ${name} is right.`;

/** By the codes of the system, of TLS and of PostgreSQL. */
const BY_CODE: Readonly<Record<string, Explain>> = {
  ECONNREFUSED: ({ server }, name) =>
    `nothing listens on ${server}, the address in ${name}. Start PostgreSQL there, or correct the address.`,
  ENOENT: ({ server }, name) =>
    `there is no socket of a PostgreSQL at ${server}, the address in ${name}. Start PostgreSQL, or correct the address.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: noAnswer,
  EHOSTUNREACH: noAnswer,
  ENETUNREACH: noAnswer,
  ECONNRESET: ({ server }, name) =>
    `${server}, the address in ${name}, ends the connection at once. See whether a PostgreSQL listens there, and its log.`,
  '28P01': refusedSignIn,
  '28000': refusedSignIn,
  '42501': ({ user, database }, name, message) =>
    `the role "${user}" may not use the database "${database}" (${message}). Grant it the right to connect, or name another role in ${name}.`,
  '3D000': ({ server, database }, name) =>
    `${server} has no database "${database}". Create it (\`create database "${database}"\`), or correct ${name}.`,
  '53300': full,
  '57P03': ({ server }, name) =>
    `${server} is starting or stopping. Try again in a moment; ${name} is right.`,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: ({ server }, name) =>
    `the certificate of ${server} has expired. Renew it there; ${name} is right.`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ server, host }, name) =>
    `the certificate of ${server} is not for ${host}. Use the name in the certificate in ${name}.`,
};

/** The driver's own errors have no code, and a pooler's have the same one. */
function byMessage(message: string, where: Where, name: string): string | null {
  if (/does not support SSL/.test(message))
    return `${where.server} speaks no TLS, and ${name} asks for it. Switch TLS on there, or remove sslmode from ${name} if the way is private.`;
  if (
    /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout|timeout expired)/.test(
      message,
    )
  )
    return noAnswer(where, name, message);
  if (message.startsWith('no more connections allowed'))
    return `the pooler at ${where.server}, the address in ${name}, has no place for another client. Raise max_client_conn there: every process opens as many connections as DATABASE_POOL_SIZE says, and one more.`;
  if (/password must be a string|no password supplied/i.test(message))
    return `${where.server} asks for a password, and ${name} has none.`;
  return null;
}

/** A connection that was tried at several addresses fails with a list of errors. */
function rootsOf(error: Error): readonly Error[] {
  const own = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return error.cause instanceof Error ? [...own, ...rootsOf(error.cause)] : own;
}

/** PostgreSQL's addresses may leave out the host after a role, and others may not. */
function placeOf(address: string): Where {
  const text = address.replace('@/', '@localhost/');
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url?.searchParams.get('host') ?? decodeURIComponent(url?.hostname ?? '');
  const port = url?.searchParams.get('port') ?? (url?.port || '5432');
  return {
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${port}`,
    host: host || 'localhost',
    user: decodeURIComponent(url?.username ?? '') || (process.env['PGUSER'] ?? ''),
    database: decodeURIComponent(url?.pathname.slice(1) ?? ''),
  };
}
