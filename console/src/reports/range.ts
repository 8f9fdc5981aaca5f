import { addDays, countDays, endOfMonth, isDay, startOfMonth, type Day, type Days } from './days.ts';

export const PRESETS = [
  '7-days',
  '30-days',
  '90-days',
  '12-months',
  'this-month',
  'last-month',
  'this-year',
  'last-year',
] as const;
export type Preset = (typeof PRESETS)[number];

export const STEPS = ['day', 'week', 'month'] as const;
export type Step = (typeof STEPS)[number];

/** The days that a report shows, and how they are grouped. */
export interface Range extends Days {
  readonly by: Step;
  /** Null if the days were chosen by hand. */
  readonly preset: Preset | null;
}

const USUAL: Preset = '30-days';

/** More lines than this are no chart. Days of more than a year and weeks of more than seven are grouped more coarsely. */
const MOST_LINES = 370;

/**
 * The range that an address names. A preset moves on with the days, so a link to “last month” stays one. Without a grouping, it
 * follows from the length.
 */
export function readRange(query: string, today: Day): Range {
  const params = new URLSearchParams(query);
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  const isOwn = isDay(from) && isDay(to) && from <= to;
  const preset = isOwn ? null : (PRESETS.find((one) => one === params.get('range')) ?? USUAL);
  const days = preset === null ? { from, to } : daysOfPreset(preset, today);
  const asked = STEPS.find((step) => step === params.get('by'));
  const by = asked !== undefined && stepsFor(days).includes(asked) ? asked : usualStep(days);
  return { ...days, by, preset };
}

/** The query of an address that names this range. Empty for what is shown without one. */
export function queryOfRange({ from, to, by, preset }: Range): string {
  const params = new URLSearchParams();
  if (preset === null) {
    params.set('from', from);
    params.set('to', to);
  } else if (preset !== USUAL) params.set('range', preset);
  if (by !== usualStep({ from, to })) params.set('by', by);
  return params.size === 0 ? '' : `?${params}`;
}

export const askFor = ({ from, to, by }: Range) => ({ from, to, by });

export function daysOfPreset(preset: Preset, today: Day): Days {
  const lastYear = String(Number(today.slice(0, 4)) - 1).padStart(4, '0');
  const days = {
    '7-days': [addDays(today, -6), today],
    '30-days': [addDays(today, -29), today],
    '90-days': [addDays(today, -89), today],
    '12-months': [addDays(today, -364), today],
    'this-month': [startOfMonth(today), today],
    'last-month': [startOfMonth(today, -1), addDays(startOfMonth(today), -1)],
    'this-year': [`${today.slice(0, 4)}-01-01`, today],
    'last-year': [`${lastYear}-01-01`, `${lastYear}-12-31`],
  } as const satisfies Record<Preset, readonly [Day, Day]>;
  const [from, to] = days[preset];
  return { from, to };
}

/** The range before or after this one: by months, if it begins with a month and ends with one or today, else by days. */
export function shift({ from, to }: Days, direction: 1 | -1, today: Day): Days {
  const isMonths = from === startOfMonth(from) && (to === endOfMonth(to) || to === today);
  if (!isMonths) {
    const days = countDays({ from, to }) * direction;
    return { from: addDays(from, days), to: addDays(to, days) };
  }
  const months =
    (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 +
    Number(to.slice(5, 7)) -
    Number(from.slice(5, 7)) +
    1;
  const start = startOfMonth(from, months * direction);
  return { from: start, to: endOfMonth(startOfMonth(start, months - 1)) };
}

/** The groupings that make sense for a range: not a single bar, and not a thousand. */
export function stepsFor(days: Days): Step[] {
  const n = countDays(days);
  return STEPS.filter((step) =>
    step === 'day' ? n <= MOST_LINES : step === 'week' ? n > 7 && n <= MOST_LINES * 7 : n > 28,
  );
}

function usualStep(days: Days): Step {
  const n = countDays(days);
  return n <= 45 ? 'day' : n <= 190 ? 'week' : 'month';
}
