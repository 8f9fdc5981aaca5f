import type { AuditLine } from '@loyalty/sdk/admin';
import { FieldLines } from '../audit/field-lines.tsx';
import { useMemberTexts } from './texts.ts';
import { When } from '../ui/when.tsx';

/** One line of the audit: what was done, what was and what became, by whom, and why. */
export function Change({ line }: { line: AuditLine }) {
  const t = useMemberTexts();
  const { action, reason, network } = line;
  return (
    <li className="row change-row">
      <When at={line.at} />
      <div className="row-words">
        <b>{t.actions[action] ?? action}</b>
        {reason !== null && <span>{t.reasonSaid(reason)}</span>}
        <FieldLines line={line} />
        <span className="small">
          {[t.by(line.by), network === null ? null : t.fromNetwork(network)].filter(Boolean).join(' · ')}
        </span>
      </div>
    </li>
  );
}
