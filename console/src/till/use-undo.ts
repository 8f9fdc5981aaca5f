import { newIdempotencyKey, type TillDay } from '@loyalty/sdk/admin';
import { useMutation, type InfiniteData } from '@tanstack/react-query';
import { isCode, isWithoutAnswer, markStale, queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { say } from '../ui/say.tsx';
import { sayProblem } from '../ui/states.tsx';
import { useTillTexts } from './texts.ts';
import { forgetRecent } from './recent-purchases.ts';
import { placeOf } from './register.ts';
import type { Till } from './use-till.ts';

export interface Undoable {
  readonly id: number;
  readonly name: string;
  /** The amount that is left of it, with its cents, as it is shown. */
  readonly paid: string;
}

/** Each purchase is taken back under one key, so pressing again after a lost answer takes nothing back twice. */
const keys = new Map<number, string>();

/** Takes a purchase back at once, and says what became of the points. */
export function useUndo(till: Till) {
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  return useMutation({
    mutationFn: ({ id }: Undoable) => {
      const idempotencyKey = keys.get(id) ?? newIdempotencyKey();
      keys.set(id, idempotencyKey);
      return api.reversePurchase(id, placeOf(till.register), {
        idempotencyKey,
        attempts: 2,
        timeoutMs: 8_000,
      });
    },
    onSuccess: ({ points, balance }, { id, name, paid }) => {
      forgetRecent(id);
      till.noteUndone(id);
      // The day is read anew in a moment. Until then it must not offer what is done.
      queries.setQueriesData<InfiniteData<TillDay>>({ queryKey: [shop.id, 'till-day'] }, (day) =>
        day === undefined ? day : { ...day, pages: day.pages.map((page) => withoutUndo(page, id)) },
      );
      const undone = t.undone(paid, Math.abs(points), format);
      say(balance === null ? undone : `${undone} ${t.undoneBalance(name, balance, format)}`);
    },
    onError: (error) => say(sayWhy(error), { kind: 'wrong' }),
    onSettled: () => {
      markStale(shop.id);
      void queries.invalidateQueries({ queryKey: [shop.id, 'till-day'] });
      void queries.invalidateQueries({ queryKey: [shop.id, 'till-member'] });
    },
  });

  function sayWhy(error: unknown): string {
    if (isWithoutAnswer(error)) return t.undoUnknown;
    if (isCode(error, 'already_reversed')) return t.undoneBefore;
    if (isCode(error, 'points_spent')) return t.undoSpent;
    if (isCode(error, 'role_needed') || isCode(error, 'not_found')) return t.undoRefused;
    return sayProblem(error, shared);
  }
}

function withoutUndo(page: TillDay, id: number): TillDay {
  return {
    ...page,
    results: page.results.map((line) => (line.id === id ? { ...line, can_undo: false } : line)),
  };
}
