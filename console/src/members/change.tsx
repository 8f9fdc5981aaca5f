import type { AuditLine } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { useMemberTexts } from './texts.ts';
import { When } from './when.tsx';

/** One line of the audit: what was done, what was and what became, by whom, and why. */
export function Change({ line }: { line: AuditLine }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { before, after, reason, network } = line;
  const states: Readonly<Record<string, string>> = t.shared.states;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const say = (value: unknown): string =>
    typeof value === 'number'
      ? f.number(value)
      : typeof value === 'boolean'
        ? value
          ? t.yes
          : t.no
        : value === null || value === undefined || value === ''
          ? '–'
          : typeof value === 'string'
            ? (states[value] ?? value)
            : JSON.stringify(value);
  return (
    <li className="row change-row">
      <When at={line.at} />
      <div className="row-words">
        <b>{t.actions[line.action] ?? line.action}</b>
        {reason !== null && <span>{t.reasonSaid(reason)}</span>}
        {fields.map((field) => (
          <span key={field} className="small">
            {t.changedField(
              t.fields[field] ?? field,
              before === null || !(field in before) ? null : say(before[field]),
              say(after?.[field]),
            )}
          </span>
        ))}
        <span className="small">
          {[t.by(line.by), network === null ? null : t.fromNetwork(network)].filter(Boolean).join(' · ')}
        </span>
      </div>
    </li>
  );
}
