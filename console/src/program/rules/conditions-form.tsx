import { useState } from 'react';
import { useNow } from '../../session.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useEditing } from '../editing.ts';
import { ConditionFields } from './condition-fields.tsx';
import type { Asking, Condition, Kind } from './conditions.ts';
import { useRuleTexts } from './texts.ts';

/** The conditions that a rule or a card has, and a menu of the others. */
export function ConditionsForm<Of extends Asking>(props: {
  /** What has the conditions, and where it stands in the program. */
  of: Of;
  place: string;
  kinds: Readonly<Partial<Record<Condition, Kind<Of>>>>;
}) {
  const { of, place, kinds } = props;
  const t = useRuleTexts();
  const { program, change } = useEditing();
  const now = useNow();
  /** Conditions that say nothing yet. */
  const [begun, setBegun] = useState<readonly Condition[]>([]);
  const isShown = (name: Condition) => kinds[name]!.isSet(of) || begun.includes(name);
  const names = Object.keys(kinds) as Condition[];
  const add = (name: Condition) => {
    setBegun([...begun, name]);
    change(place, kinds[name]!.begin(of, program, now));
  };
  const end = (name: Condition) => {
    setBegun(begun.filter((one) => one !== name));
    change(place, kinds[name]!.end(of));
  };
  return (
    <>
      {names.filter(isShown).map((name) => (
        <div key={name} className="condition">
          <ConditionFields name={name} when={of.when} place={place} />
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
    </>
  );
}
