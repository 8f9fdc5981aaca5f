/** Reads a duration as people write it: `36h`, `400d`, `2 weeks`, `13 months`, `1y`. Returns null if it is invalid. */
export function readDuration(text: string): Temporal.Duration | null {
  const [, count = '', unit = ''] = /^\s*(\d{1,6})\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const name = units[unit.toLowerCase()];
  return name === undefined ? null : Temporal.Duration.from({ [name]: Number(count) });
}

const units: Record<string, 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years'> = {
  min: 'minutes',
  minute: 'minutes',
  minutes: 'minutes',
  h: 'hours',
  hour: 'hours',
  hours: 'hours',
  d: 'days',
  day: 'days',
  days: 'days',
  w: 'weeks',
  week: 'weeks',
  weeks: 'weeks',
  mo: 'months',
  month: 'months',
  months: 'months',
  y: 'years',
  year: 'years',
  years: 'years',
};
