import type { MemberPage } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { usePlace, useProgram } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Drawn, Icon, type IconName } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { ICONS } from '../icons.ts';
import { saveFile } from '../../ui/save-file.ts';
import { useMemberTexts } from '../texts.ts';
import { Adjust } from './adjust.tsx';
import { Block, Unblock } from './block.tsx';
import { Edit } from './edit.tsx';
import { Erase } from './erase.tsx';
import { Invite } from './invite.tsx';
import { LiftSuppression } from './lift-suppression.tsx';
import { Pin, Unpin } from './pin.tsx';

const DIALOGS = {
  adjust: Adjust,
  block: Block,
  unblock: Unblock,
  pin: Pin,
  unpin: Unpin,
  edit: Edit,
  invite: Invite,
  lift: LiftSuppression,
  erase: Erase,
} as const;

type Act = keyof typeof DIALOGS;

/** The actions on a member: a purchase and an adjustment at once, the rest in a menu. */
export function MemberActs({ member }: { member: MemberPage }) {
  const t = useMemberTexts();
  const { path } = usePlace();
  const [open, setOpen] = useState<Act | null>(null);
  const hasLadder = (useProgram().data?.levels.length ?? 0) > 0;
  const data = useDataExport(member);
  const isBlocked = member.blocked_at !== null;

  const item = (act: Act, icon: keyof typeof ICONS | 'mail', danger = false): MenuItem => ({
    label: t.acts.menu[act],
    icon:
      icon === 'mail' ? (
        <Icon name={icon satisfies IconName} size={18} />
      ) : (
        <Drawn path={ICONS[icon]} size={18} />
      ),
    danger,
    onPick: () => setOpen(act),
  });
  const items: MenuItem[] = [
    item('edit', 'edit'),
    ...(hasLadder ? [item('pin', 'pin')] : []),
    ...(member.level?.is_pinned === true ? [item('unpin', 'unpin')] : []),
    ...(member.state === 'invited' ? [item('invite', 'mail')] : []),
    ...(member.mail.suppression?.reason === 'bounce' ? [item('lift', 'mail')] : []),
    {
      label: t.acts.menu.data,
      icon: <Drawn path={ICONS.data} size={18} />,
      onPick: () => data.mutate(),
    },
    isBlocked ? item('unblock', 'block') : item('block', 'block', true),
    item('erase', 'erase', true),
  ];
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className="acts">
      <Button onClick={() => setOpen('adjust')}>
        <Drawn path={ICONS.adjust} size={18} />
        {t.acts.adjust}
      </Button>
      <Menu label={t.acts.more} className="button icon-only" items={items}>
        <Icon name="more" size={18} />
      </Menu>
      <Link className="button main" href={`${path('till')}?member=${member.member_id}`}>
        {t.recordPurchase}
      </Link>
      {Dialog !== null && <Dialog member={member} onClose={() => setOpen(null)} />}
    </div>
  );
}

/** Everything that is stored about the person, as a file that can be handed over. */
function useDataExport(member: MemberPage) {
  const t = useMemberTexts();
  const { api, shop } = usePlace();
  return useMutation({
    mutationFn: () => api.exportMemberData(member.member_id),
    onSuccess(data) {
      const name = `${shop.slug}-${member.client_code ?? member.member_id}.json`;
      saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), name);
      say(t.acts.dataSaved(name));
    },
    onError: (error) => say(sayProblem(error, t.shared), { kind: 'wrong' }),
  });
}
