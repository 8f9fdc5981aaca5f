import type { MemberPage, StaffProgram } from '@loyalty/sdk/admin';
import { useContext, useState } from 'react';
import { isCode } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { usePlace, useProgram } from '../../session.ts';
import { Field, Locked } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useKeyedDraft } from './keyed-draft.ts';
import { Reason } from './reason.tsx';

type Way = 'give' | 'take';

const NOTHING = {
  direction: 'give' as Way,
  points: '',
  reason: '',
  /** The last day, if it is set by hand. */
  day: null as string | null,
};

interface Adjustment {
  readonly points: number;
  readonly reason: string;
  readonly expires_on?: string;
}

/** Gives or takes points. The dialog says what the balance will be, and it counts once, even if an answer is lost. */
export function Adjust({ member, onClose }: { member: MemberPage; onClose: () => void }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { api, shop } = usePlace();
  const expiration = useProgram().data?.points_expiration;
  const draft = useKeyedDraft<typeof NOTHING, Adjustment>(`adjust ${member.member_id}`, NOTHING);
  const [problems, setProblems] = useState<{ points?: string; reason?: string; day?: string }>({});
  const { direction, points, reason, day } = draft.typed;
  const count = /^\d{1,15}$/.test(points) ? Number(points) : 0;
  const signed = direction === 'give' ? count : -count;
  const after = member.points + signed;
  const mayChooseDay = direction === 'give' && expiration?.mode === 'rolling';
  const chosenDay = mayChooseDay ? day : null;
  const isShort = direction === 'take' && count > 0 && after < 0;

  const type = (part: Partial<typeof NOTHING>) => {
    setProblems({});
    draft.type(part);
  };
  const check = () => {
    const found = {
      ...(count === 0
        ? { points: t.acts.pointsNeeded }
        : isShort
          ? { points: t.acts.tooMany(f.number(Math.max(0, member.points))) }
          : {}),
      ...(reason.trim() === '' && { reason: t.acts.reasonNeeded }),
      ...(chosenDay === '' && { day: t.acts.dayNeeded }),
    };
    setProblems(found);
    return Object.keys(found).length === 0;
  };

  return (
    <ActDialog
      title={t.acts.adjustTitle(t.nameOf(member))}
      submit={
        count === 0
          ? t.acts.adjust
          : direction === 'give'
            ? t.acts.give(t.shared.points(count, f))
            : t.acts.take(t.shared.points(count, f))
      }
      isUnknown={draft.isUnknown}
      check={check}
      act={() =>
        draft.send(
          { points: signed, reason: reason.trim(), ...(chosenDay !== null && { expires_on: chosenDay }) },
          (body, options) => api.adjustPoints(member.member_id, body, options),
        )
      }
      explain={(error) => (isCode(error, 'points_short') ? t.acts.tooManyNow : null)}
      onDone={({ points, balance }) => {
        draft.forget();
        say(t.acts.adjusted(f.change(points), f.number(balance), f, points));
      }}
      onClose={onClose}
    >
      <Direction value={direction} onChoose={(direction) => type({ direction })} />
      <Field
        autoFocus
        label={t.columns.points}
        inputMode="numeric"
        autoComplete="off"
        className="figure-input"
        problem={problems.points ?? null}
        value={points}
        onChange={(event) =>
          type({ points: event.currentTarget.value.replaceAll(/[^\d]/g, '').slice(0, 15) })
        }
      />
      <p className="effect" role="status">
        <span className="small">{t.balance}</span> <b>{f.number(member.points)}</b>
        {count > 0 && draft.sent === null && (
          <>
            {' → '}
            <b className={isShort ? 'wrong' : undefined}>{f.number(after)}</b>
          </>
        )}
      </p>
      <Reason
        value={reason}
        hint={t.acts.reasonShown}
        problem={problems.reason ?? null}
        onType={(value) => type({ reason: value })}
      />
      {direction === 'give' && expiration !== undefined && (
        <LastDay
          expiration={expiration}
          day={day}
          problem={problems.day ?? null}
          onChoose={(day) => type({ day })}
        />
      )}
      {direction === 'take' && <p className="small">{t.acts.takesFirst}</p>}
      {count > shop.step_up_points && (
        <p className="small">{t.acts.freshCode(f.number(shop.step_up_points))}</p>
      )}
    </ActDialog>
  );
}

/** Whether points are given or taken. */
function Direction(props: { value: Way; onChoose: (direction: Way) => void }) {
  const t = useMemberTexts();
  const isLocked = useContext(Locked);
  return (
    <fieldset className="switch" disabled={isLocked}>
      <legend className="unseen">{t.acts.direction}</legend>
      {(['give', 'take'] as const).map((one) => (
        <label key={one} className={props.value === one ? 'is-on' : undefined}>
          <input
            type="radio"
            name="direction"
            checked={props.value === one}
            onChange={() => props.onChoose(one)}
          />
          {t.acts.directions[one]}
        </label>
      ))}
    </fieldset>
  );
}

/** When given points end. Where each purchase has a day of its own, it can be set by hand. */
function LastDay(props: {
  expiration: StaffProgram['points_expiration'];
  day: string | null;
  problem: string | null;
  onChoose: (day: string | null) => void;
}) {
  const { expiration, day, problem, onChoose } = props;
  const t = useMemberTexts();
  const f = useFormat();
  const mayChoose = expiration.mode === 'rolling';
  const isLocked = useContext(Locked);
  return (
    <div className="ends-by">
      <p className="small">{t.acts.endsBy(expiration.mode, expiration.months ?? 0, f)}</p>
      {mayChoose && (
        <label className="check">
          <input
            type="checkbox"
            disabled={isLocked}
            checked={day !== null}
            onChange={(event) => onChoose(event.currentTarget.checked ? '' : null)}
          />
          {t.acts.dayByHand}
        </label>
      )}
      {mayChoose && day !== null && (
        <Field
          type="date"
          label={t.acts.lastDay}
          problem={problem}
          value={day}
          onChange={(event) => onChoose(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
