import type { AuditLine } from '@loyalty/sdk/admin';
import { useFieldsOfLine } from './fields-of-line.ts';

/** Shows what a line of the audit changed, a line for each field: `Balance: 734 → 759`. `words` says further values. */
export function FieldLines({ line, words }: { line: AuditLine; words?: Readonly<Record<string, string>> }) {
  const fieldsOf = useFieldsOfLine(words);
  return fieldsOf(line).map(({ name, before, after }) => (
    <span key={name} className="small">
      {name}: {before}
      {before !== null && after !== null && ' → '}
      {after !== null && <b>{after}</b>}
    </span>
  ));
}
