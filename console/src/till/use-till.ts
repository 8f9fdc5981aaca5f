import type { PurchaseToRecord, TillVoucher } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { writeMoney, type Paid } from '../amount.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { say } from '../ui/say.tsx';
import type { Done } from './done.ts';
import { createDraft, draftsAt, isSameBuyer, mayHaveCounted } from './drafts.ts';
import { linesOf, type Sold } from './sold-lines.ts';
import type { Buyer, Draft } from './drafts.ts';
import { recordedAgo } from './recent-purchases.ts';
import { placeOf, registerAt } from './register.ts';
import { useTillTexts } from './texts.ts';
import { useRetries } from './use-retries.ts';
import { useSending } from './use-sending.ts';

export type Till = ReturnType<typeof useTill>;

/** The state of the till, and the actions on it. */
export function useTill() {
  const { shop } = usePlace();
  const t = useTillTexts();
  const format = useFormat();
  const store = draftsAt(shop.id);
  const { open, left, aside } = useStore(store);
  const register = useStore(registerAt(shop.id));
  const [voucher, setVoucher] = useState<number | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  /** Why the purchase on the screen was refused. It was not recorded. */
  const [refusal, setRefusal] = useState<unknown>(null);
  const send = useSending(setDone, setRefusal);

  useRetries([...aside, ...(open === null ? [] : [open])], (draft) => void send(draft, true));

  return {
    open,
    left,
    aside,
    voucher,
    done,
    refusal,
    register,
    showVoucher: setVoucher,
    showDone: setDone,
    openPurchase,
    closePurchase: () => openDraft(null),
    type: (amount: string) => edit({ amount }),
    sell: (sold: readonly Sold[]) => edit({ sold }),
    name: (name: string) => {
      if (open !== null) store.set({ ...store.get(), open: { ...open, name } });
    },
    record: (paid: Paid) => {
      if (open === null || open.sent?.outcome === 'sending') return;
      setRefusal(null);
      void send({ ...open, sent: open.sent ?? { body: bodyOf(open, paid), outcome: 'unsent' } });
    },
    /** Goes on with what was typed before the page was loaded again. */
    goOn: () => {
      setDone(null);
      store.set({ ...store.get(), open: left, left: null });
    },
    dropLeft: () => store.set({ ...store.get(), left: null }),
    recordedAgo: (buyer: Buyer, amount: number) => recordedAgo(shop.id, register, buyer, amount),
    retry: (draft: Draft) => void send(draft),
    noteUsed: (used: TillVoucher) => {
      setVoucher(null);
      setDone({ kind: 'used', voucher: used });
    },
    noteUndone: (id: number) =>
      setDone((last) =>
        last?.kind === 'recorded' && last.answer.consumption_id === id ? { ...last, isUndone: true } : last,
      ),
  };

  function edit(part: Partial<Draft>): void {
    if (open === null || mayHaveCounted(open)) return;
    setRefusal(null);
    store.set({ ...store.get(), open: { ...open, ...part, sent: null } });
  }

  function bodyOf({ buyer, sold }: Draft, { units: amount, cents }: Paid): PurchaseToRecord {
    const lines = linesOf(sold, amount);
    return { ...buyer, amount, ...(cents > 0 && { cents }), ...placeOf(register), ...(lines && { lines }) };
  }

  function openPurchase(buyer: Buyer, name: string, amount = ''): void {
    setDone(null);
    const { open: before } = store.get();
    const isOpen = before !== null && isSameBuyer(before.buyer, buyer) && !mayHaveCounted(before);
    // Another object for the same buyer: the field of the amount takes the focus again.
    if (isOpen && amount === '') store.set({ ...store.get(), open: { ...before, buyer } });
    else if (isOpen)
      store.set({ ...store.get(), open: { ...before, buyer, amount: before.amount + amount, sent: null } });
    else openDraft({ ...createDraft(buyer, name), amount });
  }

  /**
   * Puts another purchase on the screen, or none. A purchase that was sent before is put aside; one that was only typed can be fetched
   * back.
   */
  function openDraft(next: Draft | null): void {
    const { open: before, left: earlier, aside: others } = store.get();
    setRefusal(null);
    store.set({ open: next, left: earlier, aside: before?.sent == null ? others : [...others, before] });
    if (before === null || before.sent !== null || before.amount === '') return;
    say(t.leftBehind(writeMoney(before.amount, format, shop.currency), before.name), {
      kind: 'wrong',
      undo: {
        label: t.goBack,
        run: () => {
          setDone(null);
          openDraft(before);
        },
      },
    });
  }
}
