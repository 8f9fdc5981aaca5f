import { useId } from 'react';
import { useEditing } from '../editing.ts';
import { anchorOf, NumberAt, ProblemAt, RadiosAt, SwitchAt, WordsAt } from '../parts.tsx';
import { useProgramTexts } from '../texts.ts';
import { useRuleTexts } from './texts.ts';

/** What earns nothing, whatever the rules say. */
export function Excluded() {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  return (
    <section className="card inside form" id={anchorOf('earning.exclude')}>
      <h2>{shared.labels['earning.exclude']}</h2>
      <p className="small">{t.excludeText}</p>
      <div className="field-pair">
        <WordsAt
          path="earning.exclude.categories"
          label={t.conditions.categories}
          hint={t.hints.categories}
        />
        <WordsAt path="earning.exclude.products" label={t.conditions.products} hint={t.hints.products} />
      </div>
      <SwitchAt path="earning.exclude.discounted" label={t.discounted} hint={t.discountedHint} />
      <RadiosAt
        path="earning.lines"
        label={shared.labels['earning.lines']!}
        options={(['optional', 'required'] as const).map((one) => [
          one,
          shared.lines[one],
          t.linesHints[one],
        ])}
      />
    </section>
  );
}

/** The most that a member can earn in a period. */
export function Cap() {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  const { program, base, change } = useEditing();
  const { cap } = program.earning;
  const pick = (per: string) =>
    change(
      'earning.cap',
      per === '' ? null : { points: cap?.points ?? base.program.earning.cap?.points ?? 500, per },
    );
  return (
    <section className="card inside form" id={anchorOf('earning.cap')}>
      <h2>{shared.labels['earning.cap']}</h2>
      <p className="small">{t.capText}</p>
      <div className="field-pair">
        <Choice
          label={t.capPer}
          value={cap?.per ?? ''}
          options={[
            ['', shared.noLimit],
            ...(['day', 'week', 'month'] as const).map((one) => [one, shared.limits[one]] as const),
          ]}
          onPick={pick}
        />
        {cap !== null && <NumberAt path="earning.cap.points" label={t.points} />}
      </div>
      <ProblemAt path="earning.cap" />
    </section>
  );
}

/** When the points of a purchase can be spent. */
export function Pending() {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  const { program, change } = useEditing();
  const { pending } = program.earning;
  const kind = pending === null ? '' : pending.until === null ? 'days' : 'confirmed';
  const pick = (next: string) =>
    change(
      'earning.pending',
      next === ''
        ? null
        : next === 'days'
          ? { days: 14, until: null, cancel_after_days: null }
          : { days: null, until: 'confirmed', cancel_after_days: 30 },
    );
  return (
    <section className="card inside form" id={anchorOf('earning.pending')}>
      <h2>{shared.labels['earning.pending']}</h2>
      <p className="small">{t.pendingText}</p>
      <div className="field-pair">
        <Choice
          label={t.pendingWhen}
          value={kind}
          options={(['', 'days', 'confirmed'] as const).map((one) => [one, t.pendingKinds[one]])}
          onPick={pick}
        />
        {kind === 'days' && <NumberAt path="earning.pending.days" label={t.pendingDays} after={t.days} />}
        {kind === 'confirmed' && (
          <NumberAt
            path="earning.pending.cancel_after_days"
            label={t.cancelAfter}
            hint={t.cancelAfterHint}
            after={t.days}
          />
        )}
      </div>
      <ProblemAt path="earning.pending" />
    </section>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onPick: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <select
        id={id}
        className="input"
        value={props.value}
        onChange={(event) => props.onPick(event.currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
