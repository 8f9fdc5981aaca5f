import { useId } from 'react';
import { useEditing } from '../editing.ts';
import { anchorOf, NumberAt, ProblemAt, SwitchAt, TextAt } from '../parts.tsx';
import { useProgramTexts } from '../texts.ts';
import { ConditionsForm } from './conditions-form.tsx';
import { CONDITIONS } from './conditions.ts';
import type { Rule } from './sentence.ts';
import { useRuleTexts } from './texts.ts';

/** What a rule gives, and the conditions that it has. Others can be added. */
export function RuleForm({ rule, place }: { rule: Rule; place: string }) {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  return (
    <div className="form rule-form">
      <TextAt path={`${place}.title`} label={shared.labels['earning.rules[].title']!} autoComplete="off" />
      <Gift rule={rule} place={place} />
      <ConditionsForm of={rule} place={place} kinds={CONDITIONS} />
      <SwitchAt
        path={`${place}.public`}
        label={shared.labels['earning.rules[].public']!}
        hint={t.publicHint}
      />
    </div>
  );
}

const GIFTS = ['multiply', 'purchase', 'unit'] as const;

/** A multiplier, points once a purchase, or points for each unit: one of the three. */
function Gift({ rule, place }: { rule: Rule; place: string }) {
  const t = useRuleTexts();
  const { change } = useEditing();
  const id = useId();
  const { give } = rule;
  const kind = give.multiply !== null ? 'multiply' : (give.per ?? 'purchase');
  const pick = (next: string) =>
    change(
      `${place}.give`,
      next === 'multiply'
        ? { multiply: 2, points: null, per: null }
        : { multiply: null, points: give.points ?? 10, per: next === 'unit' ? 'unit' : null },
    );
  return (
    <div id={anchorOf(`${place}.give`)}>
      <div className="field-pair">
        <div className="field">
          <label htmlFor={id}>{t.gives}</label>
          <select
            id={id}
            className="input"
            value={kind}
            onChange={(event) => pick(event.currentTarget.value)}
          >
            {GIFTS.map((one) => (
              <option key={one} value={one}>
                {t.gifts[one]}
              </option>
            ))}
          </select>
        </div>
        {kind === 'multiply' ? (
          <NumberAt path={`${place}.give.multiply`} label={t.times} before="×" hint={t.timesHint} />
        ) : (
          <NumberAt path={`${place}.give.points`} label={t.points} />
        )}
      </div>
      <ProblemAt path={`${place}.give`} />
    </div>
  );
}
