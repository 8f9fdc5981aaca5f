import type { AuditLine } from '@loyalty/sdk/admin';
import { Link } from 'wouter';
import { FieldLines } from '../audit/field-lines.tsx';
import { useFormat } from '../format.ts';
import { tellChangeLine } from '../program/change-line.ts';
import { useProgramInForce } from '../program/editing.ts';
import { smallPicture } from '../program/small-picture.ts';
import { useProgramTexts } from '../program/texts.ts';
import { usePlace } from '../session.ts';
import { When } from '../ui/when.tsx';
import { useTeamTexts } from './texts.ts';

/** One line of the audit: what was done to whom, what was and what became, by whom, from where and why. */
export function AuditLineRow({ line }: { line: AuditLine }) {
  const t = useTeamTexts();
  const { mails } = useProgramTexts();
  const { path } = usePlace();
  const { action, after, reason, network, subject, member_id: memberId, by } = line;
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
          {subject !== null && action !== 'picture.upload' && <span className="tag">{subject}</span>}
          {memberId !== null && (
            <Link href={path('members', memberId)}>{line.member_name ?? t.shared.states.erased}</Link>
          )}
        </span>
        {reason !== null && <span>“{reason}”</span>}
        {subject !== null && action === 'picture.upload' && (
          <img className="audit-picture" src={smallPicture(subject)} alt="" />
        )}
        {Array.isArray(after?.['changes']) && <Changes lines={after['changes'] as string[]} />}
        <FieldLines line={line} words={mails} />
      </div>
      <div className="audit-by small">
        <b>{actor}</b>
        {by.kind === 'staff' && by.email !== null && <span className="clip">{by.email}</span>}
        {network !== null && <span>{t.fromNetwork(network)}</span>}
      </div>
    </li>
  );
}

/** The changes of a version of the program, with the names that benefits and tiers have now. */
function Changes({ lines }: { lines: readonly string[] }) {
  const t = useProgramTexts();
  const format = useFormat();
  const { data } = useProgramInForce();
  if (data === undefined) return null;
  return lines.map((line) => (
    <span key={line} className="small">
      {tellChangeLine(line, data.program, t, format)}
    </span>
  ));
}
