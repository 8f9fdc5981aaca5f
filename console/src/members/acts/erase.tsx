import type { MemberPage } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useState } from 'react';
import { isCode } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useDraft } from './draft.ts';
import { Reason } from './reason.tsx';

/** Erases a person, for good: says what goes and what stays, and asks for the member's code. */
export function Erase({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { api } = usePlace();
  const [{ confirm, reason }, change, forget] = useDraft(`erase ${member.member_id}`, () => ({
    confirm: '',
    reason: '',
  }));
  const [problems, setProblems] = useState<{ confirm?: string; reason?: string }>({});
  const { client_code: code, email } = member;
  const wanted = code === null ? (email ?? '') : String(code);
  const isRight =
    code === null
      ? confirm.trim().toLowerCase() === wanted.toLowerCase()
      : confirm.replaceAll(/[\s-]/g, '') === wanted;
  const what = code === null ? wanted : inGroups(code);
  const check = () => {
    const found = {
      ...(!isRight && { confirm: t.acts.confirmWrong(what) }),
      ...(reason.trim() === '' && { reason: t.acts.reasonNeeded }),
    };
    setProblems(found);
    return Object.keys(found).length === 0;
  };
  return (
    <ActDialog
      title={t.acts.eraseTitle(t.nameOf(member))}
      submit={t.acts.erase}
      danger
      check={check}
      act={() => api.eraseMember(member.member_id, { confirm: confirm.trim(), reason: reason.trim() })}
      explain={(error) => (isCode(error, 'reason_names_the_person') ? t.acts.reasonNames : null)}
      onDone={() => {
        forget();
        say(t.acts.erased);
      }}
      onClose={onClose}
    >
      <div className="two-lists">
        <div>
          <h3>{t.acts.goes}</h3>
          <ul className="effects">
            {[t.acts.goesPoints(t.shared.points(Math.max(0, member.points), f)), ...t.acts.goesMore].map(
              (line) => (
                <li key={line}>{line}</li>
              ),
            )}
          </ul>
        </div>
        <div>
          <h3>{t.acts.stays}</h3>
          <ul className="effects">
            {t.acts.staysMore.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </div>
      <p className="strip wrong">{t.acts.eraseFinal}</p>
      <Field
        autoFocus
        label={t.acts.confirm(what)}
        problem={problems.confirm ?? null}
        autoComplete="off"
        inputMode={code === null ? 'email' : 'numeric'}
        value={confirm}
        onChange={(event) => change({ confirm: event.currentTarget.value })}
      />
      <Reason
        value={reason}
        hint={t.acts.eraseReason}
        problem={problems.reason ?? null}
        onType={(value) => change({ reason: value })}
      />
    </ActDialog>
  );
}
