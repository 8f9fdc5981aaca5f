import type { Program } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePlace } from '../../session.ts';
import { useEditing } from '../editing.ts';

/** A purchase under a program, by the rules that record it. While something is wrong, the last answer stays. */
export function useTried(program: Program | null, amount: number | null) {
  const { api, shop } = usePlace();
  const { base, check, isChecking } = useEditing();
  const isRight = program === base.program || (check?.problems.length === 0 && !isChecking);
  const isAmount = amount !== null && Number.isInteger(amount) && amount >= 1 && amount <= 1e12;
  return useQuery({
    queryKey: [shop.id, 'program-try', program, amount],
    queryFn: ({ signal }) => api.tryPurchase({ program: program!, amount: amount! }, { signal, attempts: 1 }),
    enabled: program !== null && isRight && isAmount,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
