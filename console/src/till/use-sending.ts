import type { Once, PurchaseToRecord, RecordedPurchase, TillMember } from '@loyalty/sdk/admin';
import type { Dispatch, SetStateAction } from 'react';
import { sumOf } from '../amount.ts';
import { isInDoubt, isWithoutAnswer, markStale, queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { say } from '../ui/say.tsx';
import type { Done, Recorded } from './done.ts';
import { createDraft, draftsAt, mayHaveCounted, type Draft, type Drafts } from './drafts.ts';
import { rememberRecent } from './recent-purchases.ts';
import { useRefusal } from './refusal.ts';
import { useTillTexts } from './texts.ts';

/** Before the second attempt: a service that has just started or is full says to come back in a second. */
const AGAIN_AFTER_MS = 1_000;

/**
 * Returns a function that sends a draft under its own key, as often as it takes; it counts once. The outcome is kept with the drafts, and
 * shown if it is on the screen, else said. `setDone` and `setRefusal` get the outcome of the purchase on the screen.
 */
export function useSending(
  setDone: Dispatch<SetStateAction<Done | null>>,
  setRefusal: (error: unknown) => void,
) {
  const { api, shop } = usePlace();
  const t = useTillTexts();
  const format = useFormat();
  const refusalOf = useRefusal();
  const store = draftsAt(shop.id);

  return send;

  async function send(draft: Draft, isQuiet = false): Promise<void> {
    const { key, sent } = draft;
    const { body } = sent!;
    const isDoubtful =
      store.get().open?.key === key ? mayHaveCounted(store.get().open!) : mayHaveCounted(draft);
    const outcome = isDoubtful ? 'unknown' : 'unsent';
    if (!navigator.onLine) return note(key, body, outcome);
    // What has certainly not counted can be edited. While it is sent, it cannot.
    if (!isQuiet || !isDoubtful) note(key, body, 'sending');
    let wasLost = isDoubtful;
    const record = () => api.recordPurchase(body, { idempotencyKey: key, attempts: 1, timeoutMs: 8_000 });
    try {
      const answer = await record().catch(async (error: unknown) => {
        if (isQuiet || !isWithoutAnswer(error)) throw error;
        // Whatever the second attempt is told, the first one may have counted.
        wasLost = true;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
        return record();
      });
      if (take(key)) noteRecorded(draft, body, answer);
    } catch (error) {
      if (isInDoubt(error, wasLost)) return note(key, body, 'unknown');
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
      open: onScreen?.key === key ? null : onScreen,
      // The next customer has been served: who was there before a reload is gone.
      left: null,
      aside: others.filter((one) => one.key !== key),
    });
    return true;
  }

  function noteRecorded(draft: Draft, body: PurchaseToRecord, answer: Once<RecordedPurchase>): void {
    const { name, buyer } = draft;
    rememberRecent(answer.consumption_id, buyer, body.amount);
    markStale(shop.id);
    void queries.invalidateQueries({ queryKey: [shop.id, 'till-day'] });
    const paid = format.money(sumOf({ units: body.amount, cents: body.cents ?? 0 }, shop.currency));
    const next: Recorded = {
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

  /** It was not recorded, and its key was not used up. The typed text stays. */
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

function change(drafts: Drafts, key: string, to: (draft: Draft) => Draft): Drafts {
  const { open, aside } = drafts;
  const changed = (draft: Draft) => (draft.key === key ? to(draft) : draft);
  return { ...drafts, open: open && changed(open), aside: aside.map(changed) };
}
