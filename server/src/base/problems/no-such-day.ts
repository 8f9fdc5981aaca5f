const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Returns "February 1990 has no day 30." if a text begins with a day that does not exist; otherwise undefined. */
export function whyNoSuchDay(value: unknown): string | undefined {
  const [, year = '', month = '', day = ''] =
    (typeof value === 'string' && /^(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(value)) || [];
  const name = MONTHS[Number(month) - 1];
  if (month !== '' && name === undefined) return `There is no month ${Number(month)}.`;
  if (name === undefined) return undefined;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (day !== '00' && Number(day) <= last) return undefined;
  return `${name} ${year} has no day ${Number(day)}.`;
}
