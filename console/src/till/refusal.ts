import { isCode } from '../api.ts';
import { useTexts } from '../texts/texts.ts';
import { sayProblem } from '../ui/states.tsx';
import { useTillTexts } from './texts.ts';

/** Says in a sentence why a purchase of this amount is refused. */
export function useRefusal(): (error: unknown, amount: number) => string {
  const shared = useTexts();
  const t = useTillTexts();
  return (error, amount) => {
    if (isCode(error, 'paused')) return t.paused;
    if (isCode(error, 'invalid_amount') || isCode(error, 'beyond_counting'))
      return amount > 0 ? t.tooLarge : t.zero;
    if (isCode(error, 'not_eligible')) return t.notEligible;
    if (isCode(error, 'not_found') || isCode(error, 'not_a_client_code')) return t.gone;
    return sayProblem(error, shared);
  };
}
