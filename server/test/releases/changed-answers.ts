import { isDeepStrictEqual } from 'node:util';
import { readExplanation } from '#books/read-explanation.ts';
import { callAs, type Upgraded } from './load-release.ts';
import { nameOf, type Call, type Release } from './release.ts';

/** What is answered to one call. */
export interface Answered {
  readonly status: number;
  readonly answer: unknown;
}

/** A call that is answered otherwise than the release did. */
export interface Changed {
  readonly name: string;
  readonly was: Answered;
  readonly is: Answered;
}

/** Makes every call of a release again and gives those that are answered otherwise now. */
export async function changedAnswers(upgraded: Upgraded, release: Release): Promise<Changed[]> {
  return [
    ...(await changedCalls(upgraded, release, release.calls)),
    ...(await changedWords(upgraded, release)),
  ];
}

/** What names of the last minutes' answers begin with, in the list of changes. */
export const LAST_MINUTES = 'after the last minutes: ';

/** The same for what was answered after the release's last minutes. */
export async function changedLastMinutes(upgraded: Upgraded, release: Release): Promise<Changed[]> {
  const changed = await changedCalls(upgraded, release, release.lastMinutes.calls);
  return changed.map((one) => ({ ...one, name: LAST_MINUTES + one.name }));
}

async function changedCalls(
  upgraded: Upgraded,
  release: Release,
  calls: readonly Call[],
): Promise<Changed[]> {
  const changed: Changed[] = [];
  for (const call of calls) {
    const { statusCode, payload } = await callAs(upgraded, release, call);
    const was = { status: call.status, answer: call.answer };
    const is = { status: statusCode, answer: JSON.parse(payload) as unknown };
    if (!isDeepStrictEqual(comparable(was), comparable(is))) changed.push({ name: nameOf(call), was, is });
  }
  return changed;
}

/** How movements are explained, where that is not as it was. */
async function changedWords({ db }: Upgraded, { credentials, explained }: Release): Promise<Changed[]> {
  const changed: Changed[] = [];
  for (const { at, movement, sentence } of explained) {
    const explanation = await readExplanation(db, credentials.shops[at]!.id, movement);
    if (explanation?.sentence === sentence) continue;
    const name = `${at}: loyalty ledger explain ${movement}`;
    const [was, is] = [sentence, explanation?.sentence].map((answer) => ({ status: 200, answer }));
    changed.push({ name, was: was!, is: is! });
  }
  return changed;
}

/**
 * The text of a refusal is for people and may change; its status and its shape may not. A cursor of the feed is encrypted, and never the
 * same twice.
 */
function comparable({ status, answer }: Answered): Answered {
  const isRefusal = status >= 400 && status !== 422;
  if (isRefusal) return { status, answer: Object.keys(answer as object) };
  const { next, ...rest } = answer as { next?: unknown };
  return { status, answer: typeof next === 'string' && 'events' in rest ? rest : answer };
}
