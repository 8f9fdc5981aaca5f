import type { FirstBenefit, SetUp } from '@loyalty/sdk/admin';
import { useState, type FormEvent } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Field } from '../ui/field.tsx';
import { Next } from './next.tsx';
import { usePreview, useSetUpFormat, useStep } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/**
 * A first benefit from three suggestions, the first of them unless another is chosen, or none. Its name and its price can be changed at
 * once.
 */
export function BenefitStep({ setUp }: { setUp: SetUp }) {
  const t = useSetUpTexts();
  const shared = useTexts();
  const { answers } = setUp;
  const [chosen, choose] = useState<FirstBenefit>(answers.benefit ?? 'product');
  const [title, setTitle] = useState(answers.title);
  const [cost, setCost] = useState(answers.cost === null ? null : String(answers.cost));
  const save = useStep('benefit', setUp);
  const format = useSetUpFormat(answers);
  const price = cost === null ? null : readWhole(cost);
  const isBlank = title !== null && title.trim() === '';
  const changed = {
    benefit: chosen,
    title: isBlank ? null : (title?.trim() ?? null),
    cost: price === undefined ? null : price,
  };
  const preview = usePreview(setUp, changed);
  const own = preview.benefits.find(({ kind }) => kind === chosen);
  const pick = (kind: FirstBenefit) => {
    choose(kind);
    setTitle(null);
    setCost(null);
  };
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isBlank && price !== undefined && !save.isPending) save.mutate(changed);
  }
  return (
    <Shell setUp={preview} step="benefit">
      <Question>{t.benefitTitle}</Question>
      <p>{t.benefitText}</p>
      <form className="form" onSubmit={submit} onChange={save.reset} noValidate>
        <fieldset className="picks">
          <legend className="unseen">{t.benefitTitle}</legend>
          {preview.benefits.map(({ kind, title, cost, value, spend }) => (
            <Pick key={kind} kind={kind} chosen={chosen} onPick={pick}>
              <b>{title}</b>
              <span>
                {t.benefitTypes[kind](
                  kind === 'amount' ? format.money(value ?? 0) : format.number(value ?? 0),
                )}
              </span>
              <span className="small">{t.price(shared.points(cost, format), format.money(spend))}</span>
            </Pick>
          ))}
          <Pick kind="none" chosen={chosen} onPick={pick}>
            <b>{t.noBenefit}</b>
            <span className="small">{t.noBenefitText}</span>
          </Pick>
        </fieldset>
        {own !== undefined && (
          <div className="two-fields">
            <Field
              label={t.benefitName}
              maxLength={80}
              autoComplete="off"
              value={title ?? own.title}
              problem={isBlank ? t.benefitNameProblem : null}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            <Field
              label={t.benefitCost}
              inputMode="numeric"
              autoComplete="off"
              value={cost ?? String(own.cost)}
              problem={price === undefined ? t.benefitCostProblem : null}
              onChange={(event) => setCost(event.currentTarget.value)}
            />
          </div>
        )}
        <Next step="benefit" busy={save.isPending} error={save.error} />
      </form>
    </Shell>
  );
}

function Pick(props: {
  kind: FirstBenefit;
  chosen: FirstBenefit;
  onPick: (kind: FirstBenefit) => void;
  children: React.ReactNode;
}) {
  const { kind, chosen, onPick } = props;
  return (
    <label className="pick">
      <input type="radio" name="benefit" checked={chosen === kind} onChange={() => onPick(kind)} />
      <span className="row-words">{props.children}</span>
    </label>
  );
}

/** Returns undefined for a text that is no whole number from 1 on. */
function readWhole(typed: string): number | undefined {
  const digits = typed.trim();
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}
