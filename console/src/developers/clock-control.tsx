import type { ClockMove, ShopClock } from '@loyalty/sdk/admin';
import { useState, type FormEvent } from 'react';
import { useFormat } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { sayProblem } from '../ui/states.tsx';
import { explainProblem } from './explain-problem.ts';
import { useDeveloperTexts } from './texts.ts';
import { useMoveClock, type MoveOfClock } from './use-clock.ts';

const UNITS = ['hours', 'days', 'weeks', 'months', 'years'] as const;
const STEPS: readonly MoveOfClock[] = [
  { count: 1, unit: 'days' },
  { count: 1, unit: 'weeks' },
  { count: 1, unit: 'months' },
  { count: 1, unit: 'years' },
];

/** Moves the clock of a sandbox forward, and shows what fell due on the way. */
export function ClockControl({ clock }: { clock: ShopClock }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const move = useMoveClock();
  const [count, setCount] = useState('3');
  const [unit, setUnit] = useState<MoveOfClock['unit']>('months');
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = clock.is_moving || move.isPending;
  const last = clock.moves[0];
  const go = (next: MoveOfClock) => {
    if (!isBusy) move.mutate(next);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const whole = Number(count);
    const isWhole = Number.isInteger(whole) && whole >= 1 && whole <= 10_000;
    setProblem(isWhole ? null : t.countProblem);
    if (isWhole) go({ count: whole, unit });
  };
  return (
    <div className="clock-control">
      <p>
        <span className="label">{t.clockNow}</span>
        <b className="clock-now">{format.dayAndTime(clock.now)}</b>
      </p>
      <div className="acts">
        {STEPS.map((step) => (
          <Button key={step.unit} busy={isBusy} onClick={() => go(step)}>
            + {t.duration(step.count, step.unit, format)}
          </Button>
        ))}
      </div>
      <form className="clock-form" noValidate onSubmit={onSubmit}>
        <Field
          label={t.count}
          problem={problem}
          inputMode="numeric"
          autoComplete="off"
          value={count}
          onChange={(event) => setCount(event.currentTarget.value)}
        />
        <Choice
          label={t.unit}
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value as MoveOfClock['unit'])}
          options={UNITS.map((one) => [one, t.units[one]] as const)}
        />
        <Button look="main" type="submit" busy={isBusy}>
          {t.moveClock}
        </Button>
      </form>
      <p className="small">{t.onlyForward}</p>
      {move.isError && (
        <p className="strip wrong" role="alert">
          {explainProblem(t)(move.error) ?? sayProblem(move.error, t.shared)}
        </p>
      )}
      <div role="status">
        {clock.is_moving && last !== undefined ? (
          <p className="strip ending">{t.onItsWay(format.dayAndTime(last.to))}</p>
        ) : (
          last !== undefined && (
            <div className="unfolded">
              <p>
                <b>{t.moved(format.dayAndTime(last.from), format.dayAndTime(last.to))}</b>
              </p>
              <Due move={last} />
            </div>
          )
        )}
      </div>
    </div>
  );
}

/** Lists the events that fell due while the clock moved. */
export function Due({ move }: { move: ClockMove }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  return (
    <ul className="small due">
      {move.due.length === 0 && move.state === 'done' && <li>{t.nothingDue}</li>}
      {move.due.map(({ job, count }) => (
        <li key={job}>{t.due[job]?.(count, format) ?? `${job}: ${format.number(count)}`}</li>
      ))}
      {move.failures > 0 && <li className="wrong">{t.dueFailed(move.failures, format)}</li>}
      {move.state === 'stopped' && <li className="wrong">{t.stopped}</li>}
    </ul>
  );
}
