import type { MemberPage } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { usePlace } from '../../session.ts';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog, useRefresh } from './act-dialog.tsx';
import { useDraft } from './draft.ts';
import { Reason } from './reason.tsx';

/** Blocks a person, with a reason that only staff read. It can be undone. */
export function Block({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const refresh = useRefresh();
  const [{ reason }, change, forget] = useDraft(`block ${member.member_id}`, () => ({
    reason: '',
  }));
  const [problem, setProblem] = useState<string | null>(null);
  const name = t.nameOf(member);
  return (
    <ActDialog
      title={t.acts.blockTitle(name)}
      submit={t.acts.block}
      danger
      check={() => {
        setProblem(reason.trim() === '' ? t.acts.reasonNeeded : null);
        return reason.trim() !== '';
      }}
      act={() => api.blockMember(member.member_id, { reason: reason.trim() })}
      onDone={() => {
        forget();
        const undo = async () => {
          try {
            await api.unblockMember(member.member_id);
            say(t.acts.unblocked(name));
          } catch (error) {
            say(sayProblem(error, t.shared), { kind: 'wrong' });
          }
          await refresh();
        };
        say(t.acts.blocked(name), { undo: { label: t.acts.undo, run: () => void undo() } });
      }}
      onClose={onClose}
    >
      <ul className="effects">
        {t.acts.blockEffects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <Reason
        value={reason}
        hint={t.acts.reasonForStaff}
        problem={problem}
        onType={(value) => change({ reason: value })}
      />
    </ActDialog>
  );
}

/** Lifts the block. */
export function Unblock({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const [{ reason }, change, forget] = useDraft(`unblock ${member.member_id}`, () => ({
    reason: '',
  }));
  const name = t.nameOf(member);
  return (
    <ActDialog
      title={t.acts.unblockTitle(name)}
      submit={t.acts.unblock}
      act={() => api.unblockMember(member.member_id, reason.trim() === '' ? {} : { reason: reason.trim() })}
      onDone={() => {
        forget();
        say(t.acts.unblocked(name));
      }}
      onClose={onClose}
    >
      <p>{t.acts.unblockText}</p>
      <Reason
        isOptional
        value={reason}
        hint={t.acts.reasonForStaff}
        onType={(value) => change({ reason: value })}
      />
    </ActDialog>
  );
}
