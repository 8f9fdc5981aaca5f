import type { SetUp } from '@loyalty/sdk/admin';
import { useState, type FormEvent } from 'react';
import { isStatus } from '../api.ts';
import { Field } from '../ui/field.tsx';
import { Next } from './next.tsx';
import { useStep } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/** The name of the shop, and its color. The whole page takes the color at once. */
export function ShopStep({ setUp }: { setUp: SetUp }) {
  const t = useSetUpTexts();
  const [name, setName] = useState(setUp.answers.name ?? '');
  const [color, setColor] = useState(setUp.answers.color ?? '#0f5c6e');
  const [isWrong, setWrong] = useState(false);
  const save = useStep('shop', setUp);
  const typed = name.trim();
  const isRefused = isStatus(save.error, 422);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed === '') setWrong(true);
    else if (!save.isPending) save.mutate({ name: typed, color });
  }
  const known = Object.hasOwn(t.colors, color);
  return (
    <Shell setUp={{ ...setUp, answers: { ...setUp.answers, name, color } }} step="shop">
      <Question>{t.shopTitle}</Question>
      <form className="form" onSubmit={submit} onChange={save.reset} noValidate>
        <Field
          label={t.name}
          hint={t.nameHint}
          className="large"
          name="organization"
          autoComplete="organization"
          autoFocus
          maxLength={100}
          value={name}
          problem={isWrong || isRefused ? t.nameProblem : null}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setWrong(false);
          }}
        />
        <fieldset className="swatches">
          <legend className="label">{t.color}</legend>
          {Object.entries(t.colors).map(([value, label]) => (
            <label key={value} className="swatch" title={label}>
              <input
                type="radio"
                name="color"
                className="unseen"
                aria-label={label}
                checked={color === value}
                onChange={() => setColor(value)}
              />
              <span style={{ background: value }} />
            </label>
          ))}
          <label className={known ? 'swatch own' : 'swatch own chosen'} title={t.ownColor}>
            <input
              type="color"
              aria-label={t.ownColor}
              value={color}
              onChange={(event) => setColor(event.currentTarget.value)}
            />
          </label>
          <p className="small">{t.colorHint}</p>
        </fieldset>
        <Next step="shop" busy={save.isPending} error={isRefused ? null : save.error} />
      </form>
    </Shell>
  );
}
