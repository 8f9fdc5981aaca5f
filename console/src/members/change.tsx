import type { AuditLine } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { useProgram } from '../session.ts';
import { useMemberTexts } from './texts.ts';
import { When } from '../ui/when.tsx';

/** Fields that the name of the act already tells. */
const SAID_BY_ACTION = new Set(['blocked', 'pinned']);

/** One line of the audit: what was done, what was and what became, by whom, and why. */
export function Change({ line }: { line: AuditLine }) {
  const t = useMemberTexts();
  const f = useFormat();
  const levels = useProgram().data?.levels ?? [];
  const states: Readonly<Record<string, string>> = t.shared.states;
  const { action, before, after, reason, network } = line;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => !SAID_BY_ACTION.has(field) && !(isEmpty(before?.[field]) && isEmpty(after?.[field])),
  );
  const sayPlainly = (value: unknown): string =>
    typeof value === 'number'
      ? f.number(value)
      : typeof value === 'boolean'
        ? value
          ? t.yes
          : t.no
        : isEmpty(value)
          ? '–'
          : typeof value === 'string'
            ? value
            : JSON.stringify(value);
  const say = (field: string, value: unknown): string => {
    if (field === 'amount' && typeof value === 'number') return f.money(value);
    if (field === 'level') return levels.find(({ id }) => id === value)?.name ?? sayPlainly(value);
    if (field === 'state' && typeof value === 'string') return states[value] ?? value;
    if (field === 'register_id' || field === 'branch_id') return String(value);
    return sayPlainly(value);
  };
  return (
    <li className="row change-row">
      <When at={line.at} />
      <div className="row-words">
        <b>{t.actions[action] ?? action}</b>
        {reason !== null && <span>{t.reasonSaid(reason)}</span>}
        {fields.map((field) => (
          <span key={field} className="small">
            {t.changedField(
              t.fields[`${action} ${field}`] ?? t.fields[field] ?? field,
              before === null || !(field in before) ? null : say(field, before[field]),
              say(field, after?.[field]),
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

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';
