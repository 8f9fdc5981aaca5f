import type { ProgramBenefit } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { usePlace, useProgram } from '../../session.ts';
import { say } from '../../ui/say.tsx';
import { useEditing } from '../editing.ts';
import { newId } from '../new-id.ts';
import { useBenefitTexts } from './texts.ts';

/** The actions on the benefits of the draft. */
export function useBenefits() {
  const t = useBenefitTexts();
  const { program, base, change, undoably } = useEditing();
  const { benefits } = program;
  const set = (next: readonly ProgramBenefit[]) => change('benefits', next);
  const indexOf = (id: string) => benefits.findIndex((one) => one.id === id);
  return {
    benefits,
    isNew: (id: string) => !base.program.benefits.some((one) => one.id === id),

    /** Adds one at the end. Returns its id, which is made from the title and stays for ever. */
    add: (title: string): string => {
      const made = newBenefit(title, benefits);
      set([...benefits, made]);
      return made.id;
    },

    duplicate: (benefit: ProgramBenefit): void => {
      const title = t.copyOf(benefit.title);
      const copy = { ...benefit, id: newBenefitId(benefit.title, benefits), title };
      const run = undoably(() => set(benefits.toSpliced(indexOf(benefit.id) + 1, 0, copy)));
      say(t.duplicated(title), { undo: { label: t.undo, run } });
    },

    withdraw: ({ id, title }: ProgramBenefit): void => {
      const run = undoably(() => set(benefits.filter((one) => one.id !== id)));
      say(t.withdrawn(title), { undo: { label: t.undo, run } });
    },

    setOnSale: ({ id }: ProgramBenefit, isOnSale: boolean): void => {
      change(`benefits[${indexOf(id)}].on_sale`, isOnSale);
    },

    /** Puts one where another stands now. */
    move: (id: string, to: string): void => {
      const [from, target] = [indexOf(id), indexOf(to)];
      const moved = benefits[from];
      if (moved === undefined || target === -1 || from === target) return;
      set(benefits.toSpliced(from, 1).toSpliced(target, 0, moved));
    },
  };
}

/** Reads how each benefit did in the last twelve months. */
export function useYearOfBenefits() {
  const { api, shop } = usePlace();
  const today = useProgram().data?.today ?? null;
  return useQuery({
    queryKey: [shop.id, 'benefits-of-a-year', today],
    queryFn: ({ signal }) =>
      api.getBenefitsReport({ from: aYearBefore(today!), to: today!, by: 'month' }, { signal }),
    enabled: today !== null,
    select: ({ benefits }) => new Map(benefits.map((line) => [line.benefit_id, line])),
    staleTime: 60_000,
  });
}

function aYearBefore(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCFullYear(date.getUTCFullYear() - 1);
  return date.toISOString().slice(0, 10);
}

const EMPTY: Omit<ProgramBenefit, 'id' | 'title'> = {
  benefit_type: 'normal',
  type: 'free_product',
  description: '',
  cost: 100,
  value: null,
  product: null,
  color: null,
  image: null,
  expiration: null,
  valid_days: null,
  buy_limit: 0,
  on_sale: true,
  shop_coupon: null,
};

/** Returns a free product for 100 points, to be added to the others. */
export function newBenefit(title: string, others: readonly ProgramBenefit[]): ProgramBenefit {
  return { ...EMPTY, id: newBenefitId(title, others), title };
}

/** Words that the interface uses as paths. */
const RESERVED = ['list', 'preview', 'redeem'];

function newBenefitId(title: string, others: readonly ProgramBenefit[]): string {
  return newId(title, 'benefit', (id) => RESERVED.includes(id) || others.some((one) => one.id === id));
}
