import type { ProgramProblem } from '@loyalty/sdk/admin';
import { useFormat, type Format } from '../format.ts';
import { useEditing } from './editing.ts';
import { LIMITS } from './limits.ts';
import { patternOf, valueAt } from './paths.ts';
import { useProgramTexts } from './texts.ts';

type Words = ReturnType<typeof useProgramTexts>['problem'];

/**
 * Says what is wrong in the reader's language. The service decides whether something is; here it is only put into words, by the
 * place and the value. If there are no words for it, the service's own are shown.
 */
export function useProblemText(): (problem: ProgramProblem) => string {
  const { problem: words } = useProgramTexts();
  const format = useFormat();
  const { program } = useEditing();
  return ({ path, message }) => wordsFor(path, valueAt(program, path), words, format) ?? sentence(message);
}

function wordsFor(path: string, value: unknown, words: Words, f: Format): string | null {
  const pattern = patternOf(path);
  const { min, max, isWhole, maxLength } = LIMITS[pattern] ?? {};
  if (min !== undefined) {
    if (pattern === 'points_expiration.months') return words.monthsNeeded;
    if (typeof value !== 'number') return isWhole === true ? words.wholeNumber : words.number;
    if (isWhole === true && !Number.isInteger(value)) return words.wholeNumber;
    if (max !== undefined && (value < min || value > max)) return words.between(f.number(min), f.number(max));
    if (value < min) return words.atLeast(f.number(min));
    if (isWhole !== true && Math.round(value * 1000) / 1000 !== value) return words.decimals;
    if (pattern === 'earning.max_amount') return words.amountTooHigh;
    if (pattern.endsWith('].id')) return words.sameId;
    if (pattern === 'levels.ladder[].threshold') return words.threshold;
    return null;
  }
  if (/^(cover|logo)$|\.(image|icon_url)$/.test(pattern)) return words.picture;
  if (/(^|\.)color$/.test(pattern)) return words.color;
  if (pattern === 'time_zone') return words.timeZone;
  if (pattern === 'locale') return words.locale;
  if (pattern === 'currency') return words.currency;
  if (/^earning\.(double_points|rules)\[\]\.to$/.test(pattern) && isDate(value)) return words.endsBefore;
  const [, asked] = /^(?:earning\.rules|stamps)\[\]\.when\.(\w+)/.exec(pattern) ?? [];
  if (asked === 'hours') return words.hours;
  if (asked === 'levels' && pattern.endsWith('[]')) return words.tierGone;
  if ((asked === 'branches' || asked === 'registers') && pattern.endsWith('[]')) return words.placeNumber;
  if (pattern === 'stamps[].then.benefit') return words.stampGift;
  if (/\.(from|to|expiration|end_date)$/.test(pattern)) return words.instant;
  if (pattern.endsWith('].id')) return words.sameId;
  if (/^(rewards|levels)\..*\.benefit$/.test(pattern)) return words.gone;
  if (/^rewards\.\w+$/.test(pattern)) return words.reward;
  if (maxLength === undefined || value === undefined) return null;
  if (value === '' || value === null) return words.needed;
  return typeof value === 'string' && value.length > maxLength
    ? words.tooLong(f.number(maxLength))
    : words.line;
}

const isDate = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const sentence = (text: string) =>
  `${text.slice(0, 1).toLocaleUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
