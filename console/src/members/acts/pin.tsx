import type { MemberPage } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { usePlace, useProgram } from '../../session.ts';
import { Choice } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useDraft } from './draft.ts';
import { Reason } from './reason.tsx';

/** In the list of tiers, the place below all of them. */
const BELOW = '';

/** Pins a tier: the rules go on beneath it, and show again when it is unpinned. */
export function Pin({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const levels = useProgram().data?.levels ?? [];
  const [{ level, reason }, change, forget] = useDraft(`pin ${member.member_id}`, () => ({
    level: member.level?.id ?? levels[0]?.id ?? BELOW,
    reason: '',
  }));
  const [problem, setProblem] = useState<string | null>(null);
  const heightOf = (id: string | undefined) => levels.findIndex((one) => one.id === id);
  const isHigher = heightOf(level) > heightOf(member.level?.id);
  const name = levels.find(({ id }) => id === level)?.name ?? t.filters.noTier;
  return (
    <ActDialog
      title={t.acts.pinTitle(t.nameOf(member))}
      submit={t.acts.pinTo(name)}
      check={() => {
        setProblem(reason.trim() === '' ? t.acts.reasonNeeded : null);
        return reason.trim() !== '';
      }}
      act={() =>
        api.pinLevel(member.member_id, { level_id: level === BELOW ? null : level, reason: reason.trim() })
      }
      onDone={() => {
        forget();
        say(t.acts.pinned(t.nameOf(member), name));
      }}
      onClose={onClose}
    >
      <p>{t.acts.pinText}</p>
      <Choice
        label={t.tier}
        value={level}
        options={[[BELOW, t.filters.noTier] as const, ...levels.map(({ id, name }) => [id, name] as const)]}
        onChange={(event) => change({ level: event.currentTarget.value })}
      />
      {isHigher && <p className="small">{t.acts.pinGives}</p>}
      <Reason
        value={reason}
        hint={t.acts.reasonForStaff}
        problem={problem}
        onType={(value) => change({ reason: value })}
      />
    </ActDialog>
  );
}

/** Lets the tier move again. */
export function Unpin({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  return (
    <ActDialog
      title={t.acts.unpinTitle(t.nameOf(member))}
      submit={t.acts.unpin}
      act={() => api.unpinLevel(member.member_id)}
      onDone={({ level }) => say(t.acts.unpinned(level?.name ?? t.filters.noTier))}
      onClose={onClose}
    >
      <p>{t.acts.unpinText}</p>
    </ActDialog>
  );
}
