import type { ThenNow, WhatIf, WhatIfPrice } from '@loyalty/sdk/admin';
import { useFormat, type Format } from '../../format.ts';
import { useProgram } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useProgramTexts } from '../texts.ts';
import { addDays } from '../zone.ts';
import { Months } from './months.tsx';
import { useReviewTexts } from './texts.ts';
import type { Range, useWhatIf } from './use-what-if.ts';
import { WhoChanges } from './who-changes.tsx';
import { isBusy, isLate, sayWhyNot } from './why-not.ts';

/** The effect that the proposed rules would have had on the real ledger of a range: running, done, stopped or failed. */
export function Effect(props: {
  whatIf: ReturnType<typeof useWhatIf>;
  range: Range;
  onRange: (range: Range) => void;
}) {
  const { state } = props.whatIf;
  if (state.kind === 'done') return <Figures result={state.result} at={state.at} {...props} />;
  return (
    <section className="card inside effect-card">
      <RangeChoice {...props} />
      {state.kind === 'running' ? (
        <Running {...props} />
      ) : (
        <NoResult error={state.kind === 'failed' ? state.error : null} {...props} />
      )}
    </section>
  );
}

function Running({ whatIf: { state, stop } }: { whatIf: ReturnType<typeof useWhatIf> }) {
  const t = useReviewTexts();
  const f = useFormat();
  const progress = state.kind === 'running' ? state.progress : null;
  if (progress?.type === 'waiting')
    return (
      <div className="running">
        <p role="status">
          <b>{t.waiting}</b> <span className="small">{t.place(progress.place)}</span>
        </p>
        <progress aria-label={t.waiting} />
        <p className="small">{t.waitingText}</p>
        <Button onClick={stop}>{t.stop}</Button>
      </div>
    );
  const done = progress?.done ?? 0;
  return (
    <div className="running">
      <p role="status">
        <b>{t.running}</b>{' '}
        <span className="small">
          {progress === null ? '' : t.progress(Math.floor(done * 100), f.number(progress.purchases))}
        </span>
      </p>
      <progress aria-label={t.running} value={done} max={1} />
      <p className="small">{t.runningText}</p>
      <Button onClick={stop}>{t.stop}</Button>
    </div>
  );
}

function NoResult({ error, whatIf }: { error: unknown; whatIf: ReturnType<typeof useWhatIf> }) {
  const t = useReviewTexts();
  const { shared } = useProgramTexts();
  return (
    <div className="running" role="alert">
      <p>
        <b>{error === null ? t.stopped : isBusy(error) ? t.busy : isLate(error) ? t.late : t.failed}</b>
      </p>
      <p className="small">{error === null ? t.stoppedText : sayWhyNot(error, t, shared)}</p>
      <Button onClick={whatIf.again}>{error === null ? t.runAgain : shared.retry}</Button>
    </div>
  );
}

function RangeChoice({ range, onRange }: { range: Range; onRange: (range: Range) => void }) {
  const t = useReviewTexts();
  const today = useProgram().data?.today ?? new Date().toISOString().slice(0, 10);
  const choices = [
    { name: t.ranges.year, from: null },
    { name: t.ranges.quarter, from: addDays(today, -91) },
    { name: t.ranges.month, from: addDays(today, -30) },
  ];
  return (
    <fieldset className="chips">
      <legend className="unseen">{t.rangeLabel}</legend>
      {choices.map(({ name, from }) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={range.from === from}
          onClick={() => onRange({ from, to: null })}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

function Figures(props: {
  result: WhatIf;
  at: number;
  whatIf: ReturnType<typeof useWhatIf>;
  range: Range;
  onRange: (range: Range) => void;
}) {
  const t = useReviewTexts();
  const f = useFormat();
  const { result } = props;
  const { points, liability, impossible } = result;
  const lost = [
    impossible.exchanges.count > 0 &&
      t.impossible.exchanges(impossible.exchanges.count, impossible.exchanges.points, f),
    impossible.purchases.count > 0 && t.impossible.purchases(impossible.purchases.count, f),
    impossible.reversals.count > 0 && t.impossible.reversals(impossible.reversals.count, f),
    impossible.adjustments.count > 0 && t.impossible.adjustments(impossible.adjustments.count, f),
  ].filter((line) => line !== false);
  return (
    <>
      <section className="card inside effect-card" aria-labelledby="effect">
        <div className="effect-head">
          <h2 id="effect" className="label">
            {t.pointsGiven}
          </h2>
          <RangeChoice {...props} />
        </div>
        <p className="effect-figure">
          <ThenAndNow before={points.earned.then} after={points.earned.now} isBig />
        </p>
        <p className="small">
          {t.basis(f.day(result.from), f.day(result.to), result.purchases, result.buyers, f)}{' '}
          <button
            type="button"
            className="text-button"
            title={f.dayAndTime(new Date(props.at).toISOString())}
            onClick={props.whatIf.again}
          >
            {t.runAgain}
          </button>
        </p>
        {result.purchases > 0 && <Months months={result.months} />}
      </section>
      {lost.length > 0 && (
        <div className="strip ending">
          <Icon name="info" />
          <ul>
            {lost.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      <div className="cards">
        <section className="card inside figure-card">
          <h2 className="label">{t.liability}</h2>
          <p>
            <ThenAndNow before={liability.points.then} after={liability.points.now} />
          </p>
          <p className="small">{t.heldBy(liability.people.now, f)}</p>
          <Ends result={result} />
        </section>
        <section className="card inside figure-card">
          <h2 className="label">{t.expired}</h2>
          <p>
            <ThenAndNow before={points.expired.then} after={points.expired.now} />
          </p>
          <p className="small">{t.expiredText}</p>
        </section>
      </div>
      <Prices prices={result.prices} />
      <Tiers result={result} />
      <Stamps result={result} />
      <WhoChanges result={result} />
      {result.warnings.length > 0 && (
        <ul className="small warnings">
          {result.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What new prices mean: how many of the last exchanges they would have allowed, and who can pay them now. */
function Prices({ prices }: { prices: readonly WhatIfPrice[] }) {
  const t = useReviewTexts();
  const f = useFormat();
  if (prices.length === 0) return null;
  return (
    <div className="cards">
      {prices.map(({ benefit_id: id, title, cost, bought, payable, members_able: able }) => (
        <section key={id} className="card inside figure-card">
          <h2 className="label">{t.priceOf(title)}</h2>
          <p>
            <ThenAndNow before={cost.before} after={cost.after} />
          </p>
          <p className="small">{t.stillPaid(bought, payable, f)}</p>
          <p className="small">{t.canPay(able.now, able.then, f)}</p>
        </section>
      ))}
    </div>
  );
}

/** The figure under the proposed rules, beside it the one of the ledger, and how far they are apart. */
function ThenAndNow({ before, after, isBig = false }: { before: number; after: number; isBig?: boolean }) {
  const t = useReviewTexts();
  const f = useFormat();
  return (
    <span className="then-and-now">
      <b className={isBig ? 'figure big' : 'figure'}>{f.number(after)}</b>
      {before === after ? (
        <span className="small">{t.same}</span>
      ) : (
        <>
          <s>
            <span className="unseen">{t.insteadOf} </span>
            {f.number(before)}
          </s>
          <span className="tag">{tellChange(before, after, t, f)}</span>
        </>
      )}
    </span>
  );
}

/** `40 % fewer`, or the difference if a percentage says nothing. */
export function tellChange(
  then: number,
  now: number,
  t: ReturnType<typeof useReviewTexts>,
  f: Format,
): string {
  const share = Math.abs(now - then) / Math.abs(then);
  if (then <= 0 || share > 10 || share < 0.005) return f.change(now - then);
  const percent = new Intl.NumberFormat(f.locale, { style: 'percent', maximumFractionDigits: 0 }).format(
    share,
  );
  return now > then ? t.more(percent) : t.fewer(percent);
}

/** When the points end that people would hold. */
function Ends({ result }: { result: WhatIf }) {
  const t = useReviewTexts();
  const f = useFormat();
  const { ends } = result.liability;
  if (ends.length === 0) return null;
  return (
    <details>
      <summary>{t.endsWhen}</summary>
      <table className="table tight">
        <caption className="unseen">{t.endsWhen}</caption>
        <thead>
          <tr>
            <th scope="col">{t.month}</th>
            <th scope="col" className="number">
              {t.inForce}
            </th>
            <th scope="col" className="number">
              {t.proposed}
            </th>
          </tr>
        </thead>
        <tbody>
          {ends.map(({ month, points }) => (
            <tr key={month ?? 'never'}>
              <th scope="row">{month === null ? t.never : monthOf(month, f)}</th>
              <td className="number">{f.number(points.then)}</td>
              <td className="number">
                <b>{f.number(points.now)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Noon of the fifteenth lies in the month in every time zone. */
export const monthOf = (month: string, f: Format): string => f.month(`${month}-15T12:00:00Z`);

function Tiers({ result }: { result: WhatIf }) {
  const t = useReviewTexts();
  const f = useFormat();
  const levels = result.levels.filter(
    ({ level_id: id, members, earned }) =>
      id !== null || members.then + members.now + earned.then + earned.now > 0,
  );
  if (levels.every(({ level_id: id }) => id === null)) return null;
  return (
    <section className="card">
      <table className="table tiers-table">
        <caption>{t.byTier}</caption>
        <thead>
          <tr>
            <th scope="col">{t.tier}</th>
            <th scope="col" className="number">
              {t.membersColumn}
            </th>
            <th scope="col" className="number">
              {t.pointsColumn}
            </th>
          </tr>
        </thead>
        <tbody>
          {levels.map(({ level_id: id, name, members, earned }) => (
            <tr key={id ?? 'none'}>
              <th scope="row">{name ?? t.noTier}</th>
              <td className="number">
                <Pair figures={members} f={f} />
              </td>
              <td className="number">
                <Pair figures={earned} f={f} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Stamps({ result: { stamps } }: { result: WhatIf }) {
  const t = useReviewTexts();
  const f = useFormat();
  if (stamps.length === 0) return null;
  return (
    <section className="card">
      <table className="table tiers-table">
        <caption>{t.stamps}</caption>
        <thead>
          <tr>
            <th scope="col">{t.card}</th>
            <th scope="col" className="number">
              {t.stampsColumn}
            </th>
            <th scope="col" className="number">
              {t.codesColumn}
            </th>
          </tr>
        </thead>
        <tbody>
          {stamps.map(({ stamp_id: id, title, given, full }) => (
            <tr key={id}>
              <th scope="row">{title ?? id}</th>
              <td className="number">
                <Pair figures={given} f={f} />
              </td>
              <td className="number">
                <Pair figures={full} f={f} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Pair({ figures: { then, now }, f }: { figures: ThenNow; f: Format }) {
  return (
    <>
      {then !== now && (
        <>
          <s>{f.number(then)}</s>{' '}
        </>
      )}
      <b>{f.number(now)}</b>
    </>
  );
}
