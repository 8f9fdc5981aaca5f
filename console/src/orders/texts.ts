import type { OrderBuyer } from '@loyalty/sdk/admin';
import { createTexts } from '../language.ts';
import { useTexts } from '../texts/texts.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

const useOwnTexts = createTexts({ en, es });

/** The texts of the pages of orders, with those of the frame as `shared`. */
export function useOrderTexts() {
  const shared = useTexts();
  const own = useOwnTexts();
  return {
    ...own,
    shared,
    /** Why something of an order could not be done, by the word of the interface. */
    reasonOf: (word: string): string => own.reasons[word] ?? own.reasonElse(word),
    buyerOf: (member: OrderBuyer | null): string =>
      member === null ? own.nobody : (member.username ?? member.email ?? shared.noName),
  };
}
