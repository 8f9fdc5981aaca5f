import type { AuditLine } from '@loyalty/sdk/admin';
import { sumOf } from '../amount.ts';
import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { useAuditTexts } from './texts.ts';

/** A field of a line in words. A side that the line does not have is null. */
interface FieldInWords {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Values = Readonly<Record<string, unknown>>;

/** The name of the act tells these already. */
const SAID_BY_ACTION = new Set(['blocked', 'pinned', 'suppressed', 'void', 'changes']);

/** Numbers that count nothing. */
const NAMES = new Set(['register_id', 'branch_id']);

/** Returns a function that tells what a line of the audit changed as the owner of the shop would say it. */
export function useFieldsOfLine(
  more: Readonly<Record<string, string>> = {},
): (line: AuditLine) => FieldInWords[] {
  const t = useAuditTexts();
  const { roles, states } = useTexts();
  const format = useFormat();
  const { shop } = usePlace();
  const levels = useProgram().data?.levels ?? [];
  const words: Values = { ...roles, ...states, ...t.values, ...more };

  function say(field: string, value: unknown): string {
    if (value === null || value === undefined || value === '') return '–';
    if (typeof value === 'number') {
      if (NAMES.has(field)) return `${value}`;
      return field === 'amount' || field === 'returned' ? format.money(value) : format.number(value);
    }
    if (typeof value === 'boolean') return value ? t.yes : t.no;
    if (Array.isArray(value)) return value.map((one) => say(field, one)).join('; ');
    if (typeof value !== 'string') return JSON.stringify(value);
    if (field === 'level') return levels.find(({ id }) => id === value)?.name ?? value;
    if (typeof words[value] === 'string') return words[value];
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return format.dayAndTime(value);
    return /^\d{4}-\d\d-\d\d$/.test(value) ? format.day(value) : value;
  }

  return (line) => {
    const { before, after } = withMoney(line, shop.currency);
    const sideOf = (values: Values | null, field: string) =>
      values !== null && field in values ? say(field, values[field]) : null;
    return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
      .filter(
        (field) => !SAID_BY_ACTION.has(field) && say(field, before?.[field]) !== say(field, after?.[field]),
      )
      .map((field) => ({
        name: t.fields[`${line.action} ${field}`] ?? t.fields[field] ?? field.replaceAll('_', ' '),
        before: sideOf(before, field),
        after: sideOf(after, field),
      }));
  };
}

/** Units and cents are one sum of money. Of a return it is what went back, not what is left of the purchase. */
function withMoney(
  { action, before, after }: AuditLine,
  currency: string,
): { before: Values | null; after: Values | null } {
  if (after === null || typeof after['amount'] !== 'number') return { before, after };
  const { amount, cents = 0, ...others } = after as Values & { amount: number; cents?: number };
  if (action !== 'purchase.reverse')
    return { before, after: { amount: sumOf({ units: amount, cents }, currency), ...others } };
  const { amount: left = amount, ...othersBefore } = (before ?? {}) as Values & { amount?: number };
  const returned = sumOf({ units: left - amount, cents }, currency);
  return { before: othersBefore, after: { returned, ...others } };
}
