import { useId, useState, type ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useEditing } from '../editing.ts';
import { InstantAt, isWholeDay } from '../instant-at.tsx';
import { anchorOf, ChecksAt, ChoiceAt, NumberAt, ProblemAt, SwitchAt, TextAt, WordsAt } from '../parts.tsx';
import { useCurrencySymbol } from '../pages/currency-symbol.ts';
import { useProgramTexts } from '../texts.ts';
import { CONDITIONS, type Condition } from './conditions.ts';
import type { Rule } from './sentence.ts';
import { useRuleTexts } from './texts.ts';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** What a rule gives, and the conditions that it has. Others can be added. */
export function RuleForm({ rule, place }: { rule: Rule; place: string }) {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  const { program, change } = useEditing();
  /** Conditions that say nothing yet. */
  const [begun, setBegun] = useState<readonly Condition[]>([]);
  const isShown = (name: Condition) => CONDITIONS[name].isSet(rule) || begun.includes(name);
  const names = Object.keys(CONDITIONS) as Condition[];
  const add = (name: Condition) => {
    setBegun([...begun, name]);
    change(place, CONDITIONS[name].begin(rule, program));
  };
  const end = (name: Condition) => {
    setBegun(begun.filter((one) => one !== name));
    change(place, CONDITIONS[name].end(rule));
  };
  return (
    <div className="form rule-form">
      <TextAt path={`${place}.title`} label={shared.labels['earning.rules[].title']!} autoComplete="off" />
      <Gift rule={rule} place={place} />
      {names.filter(isShown).map((name) => (
        <div key={name} className="condition">
          <ConditionFields name={name} rule={rule} place={place} />
          <button
            type="button"
            className="round"
            aria-label={t.removeCondition(t.conditions[name])}
            onClick={() => end(name)}
          >
            <Icon name="close" size={18} />
          </button>
        </div>
      ))}
      <div className="acts">
        <Menu
          label={t.addCondition}
          hasWords
          items={names
            .filter((name) => !isShown(name))
            .map((name) => ({ label: t.conditions[name], onPick: () => add(name) }))}
        >
          <Icon name="plus" size={18} />
          {t.addCondition}
        </Menu>
      </div>
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

function ConditionFields({ name, rule, place }: { name: Condition; rule: Rule; place: string }): ReactNode {
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
      const unknown = rule.when.branches.filter((id) => !known.some(([one]) => one === id));
      return (
        <ChecksAt
          path={at}
          label={label}
          options={[...known, ...unknown.map((id) => [id, t.said.branch(id)] as const)]}
        />
      );
    }
    case 'registers':
      return <WordsAt path={at} label={label} hint={t.hints.registers} isOfNumbers />;
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
      const gone = rule.when.levels.filter((id) => !known.some(([one]) => one === id));
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
    case 'dates': {
      const zone = program.time_zone;
      const typeOf = (instant: string | null) => (isWholeDay(instant, zone) ? 'date' : 'datetime-local');
      return (
        <div className="field-pair">
          <InstantAt path={`${place}.from`} label={t.firstDay} type={typeOf(rule.from)} />
          <InstantAt path={`${place}.to`} label={t.lastDay} type={typeOf(rule.to)} isLastDay />
        </div>
      );
    }
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
