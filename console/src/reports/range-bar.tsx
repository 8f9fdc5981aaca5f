import type { ReportStep } from '@loyalty/sdk/admin';
import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Drawn, Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import type { Day, Days } from './days.ts';
import { ICONS } from './icons.ts';
import { usePeriodNames } from './period-names.ts';
import { daysOfPreset, PRESETS, readRange, shift, stepsFor, STEPS, type Range } from './range.ts';
import { useReportTexts } from './texts.ts';

/** Which days, and how they are grouped. */
export function RangeBar(props: {
  today: Day;
  range: Range;
  /** False if the days are not grouped. */
  hasSteps?: boolean;
  onChange: (range: Range) => void;
}) {
  const t = useReportTexts();
  const names = usePeriodNames();
  const [isChoosing, setChoosing] = useState(false);
  const { today, range, hasSteps = true, onChange } = props;
  const possible = stepsFor(range);
  const show = (days: Days) => onChange(readRange(`?from=${days.from}&to=${days.to}`, today));
  return (
    <div className="range-bar">
      <div className="range-days">
        <Button look="icon-only" aria-label={t.earlier} onClick={() => show(shift(range, -1, today))}>
          <Drawn path={ICONS.left} size={18} />
        </Button>
        <Menu
          label={t.range}
          hasWords
          className="button"
          items={[
            ...PRESETS.map((preset) => ({
              label: t.presets[preset],
              hint: names.range(daysOfPreset(preset, today)),
              current: range.preset === preset,
              onPick: () => onChange(readRange(`?range=${preset}`, today)),
            })),
            { label: t.ownRange, current: range.preset === null, onPick: () => setChoosing(true) },
          ]}
        >
          <Drawn path={ICONS.calendar} size={18} />
          <span className="unseen">{t.range}: </span>
          <span>{range.preset === null ? names.range(range) : t.presets[range.preset]}</span>
          <Icon name="down" size={14} />
        </Menu>
        <Button
          look="icon-only"
          aria-label={t.later}
          disabled={range.to >= today}
          onClick={() => show(shift(range, 1, today))}
        >
          <Drawn path={ICONS.right} size={18} />
        </Button>
      </div>
      {hasSteps && (
        <fieldset className="grouping">
          <legend className="unseen">{t.groupBy}</legend>
          {STEPS.map((step: ReportStep) => (
            <label key={step} className={step === range.by ? 'is-on' : ''}>
              <input
                type="radio"
                name="by"
                checked={step === range.by}
                disabled={!possible.includes(step)}
                onChange={() => onChange({ ...range, by: step })}
              />
              {t.steps[step]}
            </label>
          ))}
        </fieldset>
      )}
      {isChoosing && (
        <OwnDays
          range={range}
          today={today}
          onClose={() => setChoosing(false)}
          onApply={(days) => {
            setChoosing(false);
            show(days);
          }}
        />
      )}
    </div>
  );
}

function OwnDays(props: { range: Days; today: Day; onClose: () => void; onApply: (days: Days) => void }) {
  const t = useReportTexts();
  const [days, setDays] = useState<Days>({ from: props.range.from, to: props.range.to });
  const [isWrong, setWrong] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (days.from === '' || days.to === '' || days.from > days.to) setWrong(true);
    else props.onApply(days);
  };
  return (
    <Dialog title={t.ownRangeTitle} onClose={props.onClose}>
      <form className="form" onSubmit={onSubmit}>
        <div className="two-days">
          <Field
            type="date"
            label={t.from}
            max={props.today}
            value={days.from}
            onChange={(event) => setDays({ ...days, from: event.currentTarget.value })}
          />
          <Field
            type="date"
            label={t.to}
            problem={isWrong ? t.daysProblem : null}
            value={days.to}
            onChange={(event) => setDays({ ...days, to: event.currentTarget.value })}
          />
        </div>
        <div className="dialog-acts">
          <Button look="main" type="submit">
            {t.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
