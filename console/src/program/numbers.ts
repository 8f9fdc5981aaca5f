/** Reads a number as a person of this language types it, such as `1,750.5` or `1.750,5`. Null if it is not a number. */
export function readNumber(text: string, locale: string): number | null {
  const signs = text.trim().replaceAll(/[\s\u00A0\u202F'’]/g, '');
  const { decimal, group } = separatorsOf(locale);
  const plain = readBy(signs, decimal, group);
  // Keypads and habits: a point in Spain, a comma in Ireland. It is one if it cannot stand for thousands.
  return plain ?? readBy(signs, group, '');
}

function readBy(signs: string, decimal: string, group: string): number | null {
  const [whole = '', fraction, ...more] = signs.split(decimal);
  if (more.length > 0 || (fraction !== undefined && !/^\d*$/.test(fraction))) return null;
  const isGrouped = group !== '' && whole.includes(group);
  const groups = isGrouped ? whole.split(group) : [whole];
  if (isGrouped && !groups.every((part, at) => (at === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(part))) return null;
  const digits = groups.join('');
  if (!/^\d+$/.test(digits) && !(digits === '' && fraction)) return null;
  return Number(`${digits || '0'}.${fraction || '0'}`);
}

/** Writes it so that `readNumber` reads it back. */
export function writeNumber(n: number, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 3 }).format(n);
}

function separatorsOf(locale: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6);
  const find = (kind: string) => parts.find(({ type }) => type === kind)?.value ?? '';
  const decimal = find('decimal');
  // Some write thousands with a space, which is skipped. The other sign is then free.
  const group = /[.,]/.test(find('group')) ? find('group') : decimal === ',' ? '.' : ',';
  return { decimal, group };
}
