import type { ReactNode } from 'react';
import { useEditing } from '../editing.ts';
import { InstantAt, isWholeDay } from '../instant-at.tsx';
import { ChecksAt, ChoiceAt, NumberAt, TextAt, useAt, WordsAt } from '../parts.tsx';
import { useCurrencySymbol } from '../pages/currency-symbol.ts';
import { useProgramTexts } from '../texts.ts';
import type { Condition } from './conditions.ts';
import { registersOf } from './registers.ts';
import type { Rule } from './sentence.ts';
import { useRuleTexts } from './texts.ts';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** The fields of one condition of the rule or the card at a place of the program. */
export function ConditionFields(props: { name: Condition; when: Rule['when']; place: string }): ReactNode {
  const { name, when, place } = props;
  const shared = useProgramTexts();
  const t = useRuleTexts();
  const { program } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  const label = t.conditions[name];
  const at = `${place}.when.${name}`;
  switch (name) {
    case 'products':
    case 'categories':
    case 'channels':
      return <WordsAt path={at} label={label} hint={t.hints[name]} />;
    case 'branches': {
      if (program.branches.length === 0)
        return <WordsAt path={at} label={label} hint={t.hints.branches} isOfNumbers />;
      const known = program.branches.map(({ id, name: street }) => [id, street] as const);
      const unknown = when.branches.filter((id) => !known.some(([one]) => one === id));
      return (
        <ChecksAt
          path={at}
          label={label}
          options={[...known, ...unknown.map((id) => [id, t.said.branch(id)] as const)]}
        />
      );
    }
    case 'registers': {
      const known = registersOf(program.branches, when.branches);
      if (known.length === 0) return <WordsAt path={at} label={label} hint={t.hints.registers} isOfNumbers />;
      const others = when.registers.filter((id) => !known.some(([one]) => one === id));
      return (
        <ChecksAt
          path={at}
          label={label}
          options={[...known, ...others.map((id) => [id, t.said.register(id)] as const)]}
        />
      );
    }
    case 'weekdays':
      return (
        <ChecksAt path={at} label={label} options={WEEK.map((day) => [day, shared.weekdays[day]] as const)} />
      );
    case 'hours':
      return (
        <div className="field-pair">
          <TextAt path={`${at}.from`} label={t.hoursFrom} type="time" />
          <TextAt path={`${at}.to`} label={t.hoursTo} type="time" hint={t.hoursHint} />
        </div>
      );
    case 'levels': {
      const known = program.levels.ladder.flatMap((tier) =>
        tier.id === null ? [] : [[tier.id, tier.name] as const],
      );
      const gone = when.levels.filter((id) => !known.some(([one]) => one === id));
      return (
        <ChecksAt path={at} label={label} options={[...known, ...gone.map((id) => [id, id] as const)]} />
      );
    }
    case 'first_purchase':
      return (
        <p>
          <b>{label}</b>
          <span className="small block">{t.hints.first_purchase}</span>
        </p>
      );
    case 'min_amount':
      return <NumberAt path={at} label={label} before={symbol} hint={t.hints.min_amount} />;
    case 'joined_days':
      return <NumberAt path={at} label={label} after={t.days} hint={t.hints.joined_days} />;
    case 'dates':
      return (
        <div className="field-pair">
          <DayAt path={`${place}.from`} label={t.firstDay} />
          <DayAt path={`${place}.to`} label={t.lastDay} isLastDay />
        </div>
      );
    case 'limit':
      return (
        <div className="field-pair">
          <NumberAt path={`${place}.limit.times`} label={t.limitTimes} />
          <ChoiceAt
            path={`${place}.limit.per`}
            label={t.limitPer}
            options={(['day', 'week', 'month', 'ever'] as const).map((one) => [one, shared.limits[one]])}
          />
        </div>
      );
    default:
      return name satisfies never;
  }
}

/** A whole day, or an instant within one. */
function DayAt(props: { path: string; label: string; isLastDay?: boolean }) {
  const { program } = useEditing();
  const { value } = useAt(props.path);
  const isDay = isWholeDay(typeof value === 'string' ? value : null, program.time_zone);
  return <InstantAt {...props} type={isDay ? 'date' : 'datetime-local'} />;
}
