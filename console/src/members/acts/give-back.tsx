import { inGroups } from '@loyalty/ui/format.ts';
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useDraft } from './draft.ts';
import { Reason } from './reason.tsx';

export interface CodeToGiveBack {
  readonly code: number;
  readonly title: string;
  /** The points that it had cost. */
  readonly points: number;
}

/** Takes an unused code back and gives the member the points. */
export function GiveBack({ what, onClose }: { what: CodeToGiveBack; onClose: () => void }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { api } = usePlace();
  const [{ reason }, change, forget] = useDraft(`give back ${what.code}`, () => ({ reason: '' }));
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <ActDialog
      title={t.acts.giveBackTitle(what.title)}
      submit={t.acts.giveBackPoints(t.shared.points(what.points, f))}
      check={() => {
        setProblem(reason.trim() === '' ? t.acts.reasonNeeded : null);
        return reason.trim() !== '';
      }}
      act={() => api.giveBackVoucher(what.code, { reason: reason.trim() })}
      onDone={({ points, balance }) => {
        forget();
        say(t.acts.gaveBack(t.shared.points(points, f), f.number(balance)));
      }}
      onClose={onClose}
    >
      <p>{t.acts.giveBackText(inGroups(what.code), t.shared.points(what.points, f))}</p>
      <Reason
        value={reason}
        hint={t.acts.reasonShown}
        problem={problem}
        onType={(value) => change({ reason: value })}
      />
    </ActDialog>
  );
}
