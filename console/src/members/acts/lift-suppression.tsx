import type { MemberPage } from '@loyalty/sdk/admin';
import { usePlace } from '../../session.ts';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';

/** Lets mails go to a person again whose mailbox did not exist. */
export function LiftSuppression({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const email = member.email ?? '';
  return (
    <ActDialog
      title={t.acts.liftTitle}
      submit={t.acts.lift}
      act={() => api.liftSuppression(member.member_id)}
      onDone={() => say(t.acts.lifted(email))}
      onClose={onClose}
    >
      <p>{t.acts.liftText(email)}</p>
    </ActDialog>
  );
}
