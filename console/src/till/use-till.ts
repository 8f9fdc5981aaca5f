import {
  ApiError,
  ConnectionError,
  type Once,
  type RecordedPurchase,
  type TillMember,
} from '@loyalty/sdk/admin';
import type { PurchaseToRecord, TillDay, TillLevel, TillVoucher } from '@loyalty/sdk/admin';
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { createShopClock } from '../frame/shop-clock.ts';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { say } from '../ui/say.tsx';
import { sumOf, writeMoney, type Paid } from '../amount.ts';
import { createDraft, draftsAt, isSameBuyer, mayHaveCounted } from './drafts.ts';
import type { Buyer, Draft, Drafts } from './drafts.ts';
import { placeOf, registerAt } from './register.ts';
import { useRefusal } from './refusal.ts';
import { useTillTexts } from './texts.ts';

/** What was done last, until the next customer comes. */
export type Done =
  | {
      readonly kind: 'recorded';
      readonly name: string;
      /** What was paid, with its cents. */
      readonly paid: string;
      readonly answer: Once<RecordedPurchase>;
      /** The tier that it reached, once that is known. */
      readonly reached: TillLevel | null;
      readonly isUndone: boolean;
    }
  | { readonly kind: 'used'; readonly voucher: TillVoucher };

/** A purchase that was recorded at this till a moment ago. */
interface Recent {
  readonly id: number;
  readonly buyer: Buyer;
  readonly amount: number;
  readonly at: number;
}

/** Of all shops: a purchase is found by its buyer, whose id belongs to one shop. */
let recents: readonly Recent[] = [];
const takenBack = new Set<number>();

const RETRY_EVERY_MS = 4_000;

export type Till = ReturnType<typeof useTill>;

/** What the till is about now, and what can be done with it. */
export function useTill() {
  const { api, shop } = usePlace();
  const t = useTillTexts();
  const format = useFormat();
  const refusalOf = useRefusal();
  const store = draftsAt(shop.id);
  const { open, left, aside } = useStore(store);
  const register = useStore(registerAt(shop.id));
  const [voucher, setVoucher] = useState<number | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  /** Why the purchase on the screen was refused. It was not recorded. */
  const [refusal, setRefusal] = useState<unknown>(null);

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
    type: (amount: string) => {
      if (open === null || mayHaveCounted(open)) return;
      setRefusal(null);
      store.set({ ...store.get(), open: { ...open, amount, sent: null } });
    },
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
    recordedAgo: (buyer: Buyer, amount: number) =>
      recordedAgo(shop.id, register?.registerId ?? null, buyer, amount),
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

  function bodyOf({ buyer }: Draft, { units: amount, cents }: Paid): PurchaseToRecord {
    return { ...buyer, amount, ...(cents > 0 && { cents }), ...placeOf(register) };
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

  /** Puts another purchase on the screen, or none. What was sent before is put aside; what was only typed can be fetched back. */
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
          setRefusal(null);
          store.set({ ...store.get(), open: before });
        },
      },
    });
  }

  /** Sends it under its own key, as often as it takes. It counts once. */
  async function send(draft: Draft, isQuiet = false): Promise<void> {
    const { key, sent } = draft;
    const { body } = sent!;
    const isDoubtful =
      store.get().open?.key === key ? mayHaveCounted(store.get().open!) : mayHaveCounted(draft);
    const outcome = isDoubtful ? 'unknown' : 'unsent';
    if (!navigator.onLine) return note(key, body, outcome);
    if (!isQuiet) note(key, body, 'sending');
    try {
      const answer = await api.recordPurchase(body, {
        idempotencyKey: key,
        attempts: isQuiet ? 1 : 2,
        timeoutMs: 8_000,
      });
      if (take(key)) noteRecorded(draft, body, answer);
    } catch (error) {
      if (isWithoutAnswer(error)) return note(key, body, 'unknown');
      if (isDoubtful && isPassing(error)) return note(key, body, 'unknown');
      noteRefused(draft, error);
    }
  }

  function note(key: string, body: PurchaseToRecord, outcome: 'sending' | 'unsent' | 'unknown'): void {
    store.set(change(store.get(), key, (draft) => ({ ...draft, sent: { body, outcome } })));
  }

  /** Takes a draft out, because it is settled. Returns false if it was before. */
  function take(key: string): boolean {
    const { open: onScreen, aside: others } = store.get();
    if (onScreen?.key !== key && !others.some((one) => one.key === key)) return false;
    store.set({
      ...store.get(),
      open: onScreen?.key === key ? null : onScreen,
      aside: others.filter((one) => one.key !== key),
    });
    return true;
  }

  function noteRecorded(draft: Draft, body: PurchaseToRecord, answer: Once<RecordedPurchase>): void {
    const { name, buyer } = draft;
    recents = [
      ...recents.slice(-20),
      { id: answer.consumption_id, buyer, amount: body.amount, at: Date.now() },
    ];
    void queries.invalidateQueries({ queryKey: [shop.id, 'till-day'] });
    void queries.invalidateQueries({ queryKey: [shop.id, 'find'], refetchType: 'none' });
    const paid = format.money(sumOf({ units: body.amount, cents: body.cents ?? 0 }, shop.currency));
    const next: Done = {
      kind: 'recorded',
      name,
      paid,
      answer,
      reached: null,
      isUndone: false,
    };
    if (store.get().open === null) setDone(next);
    else say(`${t.recordedFor(paid, name)} · ${t.recordedTitle(answer.points, format)}`);
    if ('member_id' in buyer) void noteTier(buyer.member_id, answer.consumption_id);
  }

  /** Reads the member again: the purchase may have reached a tier. */
  async function noteTier(memberId: number, consumptionId: number): Promise<void> {
    const queryKey = [shop.id, 'till-member', memberId];
    const before = queries.getQueryData<TillMember>(queryKey);
    try {
      const queryFn = () => api.getTillMember(memberId, { attempts: 2 });
      const { level } = await queries.fetchQuery({ queryKey, queryFn, staleTime: 0 });
      if (before === undefined || level === null || level.id === before.level?.id) return;
      setDone((last) =>
        last?.kind === 'recorded' && last.answer.consumption_id === consumptionId
          ? { ...last, reached: level }
          : last,
      );
    } catch {
      // The purchase is recorded, and that is said. The tier is seen when the member is looked up next.
    }
  }

  /** It was not recorded, and its key was not used up. What was typed stays. */
  function noteRefused(draft: Draft, error: unknown): void {
    const isOnScreen = store.get().open?.key === draft.key;
    if (isOnScreen) {
      store.set({ ...store.get(), open: { ...draft, key: createDraft(draft.buyer, '').key, sent: null } });
      setRefusal(error);
    } else if (take(draft.key)) {
      const why = refusalOf(error, draft.sent!.body.amount);
      say(t.asideRefused(format.money(draft.sent!.body.amount), draft.name, why), { kind: 'wrong' });
    }
  }
}

/** Returns how many seconds ago the same was recorded for the same buyer here, or null if that is over a minute. */
function recordedAgo(shopId: number, registerId: number | null, buyer: Buyer, amount: number): number | null {
  const last = recents.findLast((one) => one.amount === amount && isSameBuyer(one.buyer, buyer));
  const ages = last === undefined ? [] : [Date.now() - last.at];
  // The list of the day also knows what was recorded before a reload, or by a colleague.
  const day = queries.getQueryData<InfiniteData<TillDay>>([shopId, 'till-day', registerId]);
  const now = createShopClock(shopId)().getTime();
  for (const line of day?.pages[0]?.results ?? [])
    if (
      'member_id' in buyer &&
      line.member_id === buyer.member_id &&
      line.kind === 'purchase' &&
      line.amount === amount &&
      line.reversed_amount === 0 &&
      !takenBack.has(line.id)
    )
      ages.push(Math.max(0, now - Date.parse(line.at)));
  const seconds = Math.round(Math.min(...ages) / 1000);
  return seconds <= 60 ? seconds : null;
}

/** A purchase that was taken back may be recorded again. */
export function forgetRecent(id: number): void {
  recents = recents.filter((one) => one.id !== id);
  takenBack.add(id);
}

/** Sends again what is not known, when the network is back and every few seconds. */
function useRetries(drafts: readonly Draft[], retry: (draft: Draft) => void): void {
  const waiting = drafts.filter(({ sent }) => sent !== null && sent.outcome !== 'sending');
  const retryAll = useEffectEvent(() => {
    if (navigator.onLine) waiting.forEach(retry);
  });
  const isWaiting = waiting.length > 0;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const listener = () => retryAll();
    window.addEventListener('online', listener);
    const timer = setInterval(listener, RETRY_EVERY_MS);
    return () => {
      window.removeEventListener('online', listener);
      clearInterval(timer);
    };
  }, [isWaiting]);
}

function change(drafts: Drafts, key: string, to: (draft: Draft) => Draft): Drafts {
  const { open, aside } = drafts;
  const changed = (draft: Draft) => (draft.key === key ? to(draft) : draft);
  return { ...drafts, open: open && changed(open), aside: aside.map(changed) };
}

/** The call may have had its effect. */
export function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return !(error instanceof ApiError) || error.status >= 500 || error.code === 'in_progress';
}

/** A refusal that says nothing about an earlier attempt with the same key. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && [401, 409, 429].includes(error.status);
}
