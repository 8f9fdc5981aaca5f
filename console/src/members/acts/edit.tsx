import type { MemberPage } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog, useRefresh } from './act-dialog.tsx';
import { useDraft } from './draft.ts';

const FIELDS = ['username', 'phone', 'birth_date'] as const;
type Profile = Partial<Record<(typeof FIELDS)[number], string | null>>;
/** The fields that were typed into. The others stay what they are, also if somebody else changes them meanwhile. */
type Typed = Partial<Record<(typeof FIELDS)[number], string>>;

/** The form of a phone number that the service takes: + and the country, without gaps. */
const PHONE = /^\+[1-9]\d{6,14}$/;

/** Changes the profile. Only what was changed here is sent, so two people can change different fields. */
export function Edit({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const { api } = usePlace();
  const refresh = useRefresh();
  const [draft, change, forget] = useDraft<Typed>(`edit ${member.member_id}`, () => ({}));
  const [phoneProblem, setPhoneProblem] = useState<string | null>(null);
  const { member_id: id } = member;
  const changes: Profile = {};
  const before: Profile = {};
  for (const field of FIELDS) {
    const text = draft[field];
    if (text === undefined) continue;
    const typed = field === 'phone' ? withoutGaps(text) : text.trim();
    const value = typed === '' ? null : typed;
    if (value === member[field]) continue;
    changes[field] = value;
    before[field] = member[field];
  }
  const undo = async (before: Profile) => {
    try {
      await api.editProfile(id, before);
      say(t.acts.editUndone);
    } catch (error) {
      say(sayProblem(error, t.shared), { kind: 'wrong' });
    }
    await refresh();
  };
  return (
    <ActDialog
      title={t.acts.editTitle}
      submit={t.acts.save}
      check={() => {
        const isWrong = typeof changes.phone === 'string' && !PHONE.test(changes.phone);
        setPhoneProblem(isWrong ? t.acts.phoneWrong : null);
        return !isWrong;
      }}
      act={async () => {
        if (Object.keys(changes).length > 0) await api.editProfile(id, changes);
        return before;
      }}
      onDone={(before) => {
        forget();
        if (Object.keys(before).length === 0) say(t.acts.nothingChanged);
        else say(t.acts.edited, { undo: { label: t.acts.undo, run: () => void undo(before) } });
      }}
      onClose={onClose}
    >
      <Field
        autoFocus
        label={t.acts.name}
        maxLength={100}
        autoComplete="off"
        value={draft.username ?? member.username ?? ''}
        onChange={(event) => change({ username: event.currentTarget.value })}
      />
      <Field
        label={t.phone}
        type="tel"
        hint={t.acts.phoneHint}
        problem={phoneProblem}
        autoComplete="off"
        value={draft.phone ?? member.phone ?? ''}
        onChange={(event) => change({ phone: event.currentTarget.value })}
      />
      <Field
        label={t.birthday}
        type="date"
        hint={t.acts.birthdayHint}
        value={draft.birth_date ?? member.birth_date ?? ''}
        onChange={(event) => change({ birth_date: event.currentTarget.value })}
      />
      <p className="small">{t.acts.emailStays}</p>
    </ActDialog>
  );
}

/** People write a number in groups. */
const withoutGaps = (phone: string): string => phone.replaceAll(/[\s().-]/g, '');
