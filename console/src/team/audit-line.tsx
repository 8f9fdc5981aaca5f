import type { AuditLine } from '@loyalty/sdk/admin';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { When } from '../ui/when.tsx';
import { useTeamTexts } from './texts.ts';

/** One line of the audit: what was done to whom, what was and what became, by whom, from where and why. */
export function AuditLineRow({ line }: { line: AuditLine }) {
  const t = useTeamTexts();
  const { path } = usePlace();
  const say = useSay();
  const { action, before, after, reason, network, subject, member_id: memberId, by } = line;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => say(before?.[field]) !== say(after?.[field]),
  );
  const actor =
    by.kind === 'staff'
      ? by.name
      : by.kind === 'key'
        ? t.byKey(by.name ?? '')
        : by.kind === 'command_line'
          ? t.commandLine
          : '';
  return (
    <li className="row audit-row">
      <When at={line.at} />
      <div className="row-words">
        <span className="name-line">
          <b>{t.actions[action] ?? action}</b>
          {subject !== null && <span className="tag">{subject}</span>}
          {memberId !== null && <Link href={path('members', memberId)}>{t.theMember}</Link>}
        </span>
        {reason !== null && <span>“{reason}”</span>}
        {fields.map((field) => (
          <span key={field} className="small">
            {t.fields[`${action} ${field}`] ?? t.fields[field] ?? field.replaceAll('_', ' ')}:{' '}
            {before !== null && field in before && (
              <>
                {say(before[field])}
                {after !== null && field in after && ' → '}
              </>
            )}
            {after !== null && field in after && <b>{say(after[field])}</b>}
          </span>
        ))}
      </div>
      <div className="audit-by small">
        <b>{actor}</b>
        {by.kind === 'staff' && by.email !== null && <span className="clip">{by.email}</span>}
        {network !== null && <span>{t.fromNetwork(network)}</span>}
      </div>
    </li>
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Says a value as people read it. A list becomes lines of its own only in the export. */
function useSay(): (value: unknown) => string {
  const t = useTeamTexts();
  const format = useFormat();
  const words: Readonly<Record<string, string>> = { ...t.shared.roles, ...t.shared.states };
  return function sayValue(value: unknown): string {
    if (value === null || value === undefined || value === '') return '–';
    if (typeof value === 'number') return format.number(value);
    if (typeof value === 'boolean') return value ? t.yes : t.no;
    if (typeof value === 'string') {
      const word = words[value];
      if (word !== undefined) return word;
      return INSTANT.test(value) ? format.dayAndTime(value) : value;
    }
    if (Array.isArray(value)) return value.map(sayValue).join('; ');
    return JSON.stringify(value);
  };
}
