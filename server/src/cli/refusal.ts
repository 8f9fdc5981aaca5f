import { ConfigProblem } from '../config.ts';

/** A command cannot do what it was asked; the message is all that its user needs to read. */
export class Refusal extends Error {}

/**
 * What a failed command says: sentences, never a stack; `LOG_LEVEL=debug` shows where a fault of the program's
 * own comes from.
 */
export function sentencesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigProblem) return error.sentences;
  if (!(error instanceof Error)) return [String(error)];
  const { code = '' } = error as { code?: string };
  if (UNREACHABLE.has(code)) return [`The database cannot be reached: ${wordsOf(error)}.`];
  if (process.env['LOG_LEVEL'] === 'debug' && !(error instanceof Refusal))
    return [error.stack ?? wordsOf(error)];
  return [wordsOf(error)];
}

// No server, no name, no route, no login, no such database; the pool waits two seconds and gives no code.
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  '28P01',
  '28000',
  '3D000',
  '53300',
  '57P03',
]);

/** A connection that was tried at several addresses fails with a list of errors and no message. */
function wordsOf(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError
    ? error.errors.map((one: Error) => one.message).join(', ')
    : error.name;
}
