import type { SetUp } from '@loyalty/sdk/admin';
import { useContext, useState, type FormEvent } from 'react';
import { isStatus } from '../api.ts';
import { LocaleContext } from '../language.ts';
import { useTexts } from '../texts/texts.ts';
import { Next } from './next.tsx';
import { usePreview, useSetUpFormat, useStep } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/** One rule, with a sentence that the service writes by the very rule that will record purchases. */
export function PointsStep({ setUp }: { setUp: SetUp }) {
  const t = useSetUpTexts();
  const shared = useTexts();
  const locale = useContext(LocaleContext);
  const { answers } = setUp;
  const [typed, setTyped] = useState(() => writeDecimal(answers.money_per_point ?? 1, locale));
  const [isWrong, setWrong] = useState(false);
  const save = useStep('points', setUp);
  const amount = readDecimal(typed);
  const preview = usePreview(setUp, amount === null ? {} : { money_per_point: amount });
  const format = useSetUpFormat(answers);
  const [small, usual, large] = preview.examples;
  const isRefused = isStatus(save.error, 422);
  const problem = isWrong || isRefused ? t.pointsProblem : null;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (amount === null) setWrong(true);
    else if (!save.isPending) save.mutate({ money_per_point: amount });
  }
  const tell = ({ amount, points }: { amount: number; points: number }) =>
    t.small(format.money(amount), format.number(points));
  return (
    <Shell setUp={preview} step="points">
      <Question>{t.pointsTitle}</Question>
      <form className="form" onSubmit={submit} onChange={save.reset} noValidate>
        <div className="field">
          <label htmlFor="money-per-point">{t.pointsLabel}</label>
          <div className="with-unit">
            <input
              id="money-per-point"
              className="input large"
              inputMode="decimal"
              autoComplete="off"
              autoFocus
              value={typed}
              aria-invalid={problem === null ? undefined : true}
              aria-describedby="money-per-point-unit money-per-point-problem"
              onFocus={(event) => event.currentTarget.select()}
              onChange={(event) => {
                setTyped(event.currentTarget.value);
                setWrong(false);
              }}
            />
            <span id="money-per-point-unit">{t.pointsUnit(answers.currency ?? '')}</span>
          </div>
          <p id="money-per-point-problem" className="wrong" role="alert">
            {problem}
          </p>
        </div>
        <div role="status" className="example">
          {usual !== undefined && (
            <p className="big">
              {t.sentence(format.money(usual.amount))}{' '}
              <span className="gain">{shared.points(usual.points, format)}</span>
            </p>
          )}
          {small !== undefined && large !== undefined && (
            <p className="quiet">
              {tell(small)} · {tell(large)} · {t.smallEnd}
            </p>
          )}
        </div>
        <p className="small">{t.pointsHint}</p>
        <Next step="points" busy={save.isPending} error={isRefused ? null : save.error} />
      </form>
    </Shell>
  );
}

/** Reads an amount with a point or a comma before its decimals; null if it is none, or has more than three. */
function readDecimal(typed: string): number | null {
  const text = typed.trim().replace(',', '.');
  return /^\d{1,9}(\.\d{0,3})?$/.test(text) && Number(text) >= 0.001 ? Number(text) : null;
}

function writeDecimal(amount: number, locale: string): string {
  return new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 3 }).format(amount);
}
