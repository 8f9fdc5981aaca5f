import { say } from '../../ui/say.tsx';
import { useEditing } from '../editing.ts';
import { newId } from '../new-id.ts';
import { NO_CONDITIONS } from './conditions.ts';
import type { Rule } from './sentence.ts';
import { useRuleTexts } from './texts.ts';

export const RULES = 'earning.rules';

/** The acts on the rules of the draft. */
export function useRules() {
  const t = useRuleTexts();
  const { program, change, undoably } = useEditing();
  const { rules } = program.earning;
  const idOf = (title: string) => newId(title, 'rule', (id) => rules.some((rule) => rule.id === id));
  return {
    rules,

    /** Adds a rule at the end. Returns its id. */
    add: (title: string): string => {
      const id = idOf(title);
      change(RULES, [...rules, { ...EMPTY, id, title }]);
      return id;
    },

    duplicate: (rule: Rule): void => {
      const title = t.copyOf(rule.title).slice(0, 100);
      change(RULES, rules.toSpliced(rules.indexOf(rule) + 1, 0, { ...rule, id: idOf(title), title }));
    },

    remove: (rule: Rule): void => {
      const run = undoably(() => change(`${RULES}[${rules.indexOf(rule)}]`, undefined));
      say(t.removed(rule.title), { undo: { label: t.undo, run } });
    },

    pause: (rule: Rule, isPaused: boolean): void => {
      change(`${RULES}[${rules.indexOf(rule)}].paused`, isPaused);
    },
  };
}

const EMPTY: Omit<Rule, 'id' | 'title'> = {
  public: true,
  from: null,
  to: null,
  paused: false,
  when: NO_CONDITIONS,
  give: { multiply: 2, points: null, per: null },
  limit: null,
};
