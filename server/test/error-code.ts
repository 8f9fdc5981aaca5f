import { ERROR_CODES, type ErrorCode } from '#problems/error-codes.ts';

/**
 * Returns what is wrong with the headers of an answer, or null: every refusal has a documented code that goes with its
 * status, a hint is a sentence of ASCII, and nothing else has either.
 */
export function whyWrongCode(status: number, headers: Headers): string | null {
  const code = headers.get('x-error-code');
  const hint = headers.get('x-error-hint');
  if (status < 400)
    return code === null && hint === null ? null : `${status} has the code ${code}, hint ${hint}`;
  if (code === null) return `${status} has no X-Error-Code`;
  const explained = ERROR_CODES[code as ErrorCode] as { statuses: readonly number[] } | undefined;
  if (explained === undefined) return `${status} has the code ${code}, which is not documented`;
  if (!explained.statuses.includes(status)) return `${status} has the code ${code} of another status`;
  if (status === 422 && hint === null) return `${status} ${code} has no X-Error-Hint`;
  return hint === null || /^[!-~][ -~]{5,400}$/.test(hint) ? null : `${status} ${code} has the hint ${hint}`;
}
