import type { MemberPage } from '@loyalty/sdk/admin';
import { usePlace } from '../../session.ts';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';

/** Sends the invitation once more. */
export function Invite({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const email = member.email ?? '';
  return (
    <ActDialog
      title={t.acts.inviteTitle}
      submit={t.acts.invite}
      act={() => api.resendInvitation(member.member_id)}
      onDone={() => say(t.acts.inviteSent(email))}
      onClose={onClose}
    >
      <p>{t.acts.inviteText(email)}</p>
    </ActDialog>
  );
}
