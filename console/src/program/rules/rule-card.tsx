import { useId } from 'react';
import { useFormat } from '../../format.ts';
import { useNow } from '../../session.ts';
import { Button, TextButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, ProblemAt } from '../parts.tsx';
import { RuleForm } from './rule-form.tsx';
import { SentenceLine } from './sentence-line.tsx';
import { sayRule, type Rule } from './sentence.ts';
import { useRuleTexts } from './texts.ts';
import { RULES, useRules } from './use-rules.ts';

/** A rule as a sentence, with one press to pause it. It opens into its form, also if something in it is wrong. */
export function RuleCard(props: {
  rule: Rule;
  index: number;
  /** The other rules that it can meet. */
  meets: readonly Rule[];
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}) {
  const { rule, index, onOpen } = props;
  const t = useRuleTexts();
  const f = useFormat();
  const { program, problemsIn } = useEditing();
  const { pause, duplicate, remove } = useRules();
  const place = `${RULES}[${index}]`;
  const id = useId();
  const isWrong = problemsIn(place).length > 0;
  const isOpen = props.isOpen || isWrong;
  return (
    <li
      className={rule.paused ? 'card inside rule is-paused' : 'card inside rule'}
      id={anchorOf(place)}
      aria-labelledby={id}
    >
      <div className="row-head">
        <h2 id={id}>{rule.title === '' ? '…' : rule.title}</h2>
        <State rule={rule} />
        <Button
          aria-label={`${rule.paused ? t.resume : t.pause}: ${rule.title}`}
          onClick={() => pause(rule, !rule.paused)}
        >
          {rule.paused ? t.resume : t.pause}
        </Button>
        <Menu
          className="round"
          label={`${rule.title}: ${t.more}`}
          items={[
            { label: t.duplicate, onPick: () => duplicate(rule) },
            { label: t.remove, danger: true, onPick: () => remove(rule) },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      <SentenceLine pieces={sayRule(rule, program, t.said, f)} />
      <Meetings rule={rule} others={props.meets} />
      {isOpen && <RuleForm rule={rule} place={place} />}
      <ProblemAt path={place} />
      {!isWrong && (
        <p>
          <TextButton
            aria-expanded={isOpen}
            aria-label={`${isOpen ? t.close : t.change}: ${rule.title}`}
            onClick={() => onOpen(!isOpen)}
          >
            {isOpen ? t.close : t.change}
          </TextButton>
        </p>
      )}
    </li>
  );
}

/** Paused, not begun or over. A rule that is in force needs no word. */
function State({ rule }: { rule: Rule }) {
  const t = useRuleTexts();
  const now = Date.parse(useNow());
  if (rule.paused) return <span className="tag ending">{t.paused}</span>;
  if (rule.to !== null && Date.parse(rule.to) <= now) return <span className="tag">{t.over}</span>;
  if (rule.from !== null && Date.parse(rule.from) > now) return <span className="tag">{t.coming}</span>;
  return null;
}

/** Multipliers compete, points are added. */
function Meetings({ rule, others }: { rule: Rule; others: readonly Rule[] }) {
  const t = useRuleTexts();
  const f = useFormat();
  const names = (some: readonly Rule[]) =>
    new Intl.ListFormat(f.locale, { type: 'conjunction' }).format(some.map(({ title }) => title));
  const isMultiplier = ({ give }: Rule) => give.multiply !== null;
  const competing = isMultiplier(rule) ? others.filter(isMultiplier) : [];
  const added = others.filter((other) => !competing.includes(other));
  return (
    <>
      {competing.length > 0 && (
        <p className="small icon-line">
          <Icon name="info" size={16} />
          <span>{t.competes(names(competing))}</span>
        </p>
      )}
      {added.length > 0 && (
        <p className="small icon-line">
          <Icon name="info" size={16} />
          <span>{t.adds(names(added))}</span>
        </p>
      )}
    </>
  );
}
