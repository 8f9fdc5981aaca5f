import type { Program, PurchaseToTry } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePlace } from '../../session.ts';
import { useEditing } from '../editing.ts';

/** A purchase as somebody types it. An amount of null is none yet. */
export interface Purchase extends Omit<PurchaseToTry, 'program' | 'amount'> {
  readonly amount: number | null;
}

/** A purchase under a program, by the rules that record it. While something is wrong, the last answer stays. */
export function useTried(program: Program | null, purchase: Purchase) {
  const { api, shop } = usePlace();
  const { base, check, isChecking } = useEditing();
  const { amount } = purchase;
  const isRight = program === base.program || (check?.problems.length === 0 && !isChecking);
  const isAmount = amount !== null && Number.isInteger(amount) && amount >= 1 && amount <= 1e12;
  return useQuery({
    queryKey: [shop.id, 'program-try', program, purchase],
    queryFn: ({ signal }) =>
      api.tryPurchase({ ...purchase, program: program!, amount: amount! }, { signal, attempts: 1 }),
    enabled: program !== null && isRight && isAmount,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
