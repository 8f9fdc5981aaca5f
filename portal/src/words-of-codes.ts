import type { HistoryItem, RedeemableBenefit } from '@loyalty/sdk';
import type { Format } from './format.ts';
import type { Texts } from './texts/en.ts';
import type { MyClub } from './use-my-club.ts';

/** For so long a code whose use was undone says so. */
const NEWS_MS = 14 * 24 * 60 * 60 * 1000;

/** Returns what is said on a code besides its date: that it is in a cart, or that the shop has undone its use. */
export function wordsOfCodes(
  { holds, latest }: Pick<MyClub, 'holds' | 'latest'>,
  good: readonly RedeemableBenefit[],
  { t, f, now }: { t: Texts; f: Format; now: Date },
): ReadonlyMap<number, string> {
  const words = new Map<number, string>();
  // Codes of one benefit are as good as each other, so any of them can be the one that came back.
  for (const { benefit } of latest.filter((item) => isNews(item, now))) {
    const back = good.find((code) => code.benefit.id === benefit?.id && !words.has(code.client_benefit_code));
    if (back !== undefined) words.set(back.client_benefit_code, t.yoursAgain);
  }
  for (const { client_benefit_code: code, expires_at: until } of holds)
    words.set(code, t.inCart(f.time(until)));
  return words;
}

function isNews({ kind, date }: HistoryItem, now: Date): boolean {
  return kind === 'undo' && date !== null && now.getTime() - Date.parse(date) < NEWS_MS;
}
