import type { Found } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useState } from 'react';
import { queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { sayProblem } from '../ui/states.tsx';
import { amountOf, codeIn, decimalsOf, writeAmount, writeMoney } from '../amount.ts';
import { draftsAt, mayHaveCounted, type Draft } from './drafts.ts';
import { useRefusal } from './refusal.ts';
import { useTillTexts } from './texts.ts';
import type { Till } from './use-till.ts';

/** Why it was not recorded at once. Each is asked for one amount, once. */
type Stop =
  | { readonly kind: 'missing' | 'looking' | 'large' | 'card' }
  | { readonly kind: 'nobody' | 'failed'; readonly words: string }
  | { readonly kind: 'twice'; readonly ago: number };

type Question = 'card' | 'large' | 'twice';

/** Decides what Enter and the button do: record, find a card, say what is missing, or ask whether it is meant. */
export function useQuestions(props: { draft: Draft; till: Till; onScan: (code: string) => void }) {
  const { draft, till, onScan } = props;
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const refusalOf = useRefusal();
  const { api, shop } = usePlace();
  const program = useProgram().data;
  const [stopped, setStopped] = useState<{
    readonly raw: string;
    readonly stop: Stop;
    readonly agreed: readonly Question[];
  } | null>(null);

  const { sent, amount: raw } = draft;
  const isLocked = mayHaveCounted(draft);
  const typed = amountOf(raw, decimalsOf(shop.currency));
  const most = program?.max_amount ?? Number.MAX_SAFE_INTEGER;
  const isRefused = typeof typed !== 'string' && typed.units > most;
  const read = isRefused ? 'huge' : typed;
  const paid = typeof read === 'string' || codeIn(raw)?.length === 14 ? null : read;
  // A card earns nothing, so nothing is worked out for it.
  const previewed = isLocked ? sent!.body.amount : codeIn(raw) === null ? (paid?.units ?? null) : null;
  const held = stopped?.raw === raw && !isLocked ? stopped : null;
  const stop = held?.stop ?? null;

  function hold(next: Stop, agreed: readonly Question[] = []) {
    setStopped({ raw, stop: next, agreed });
  }

  function record(by: 'enter' | 'answer') {
    if (sent?.outcome === 'sending' || stop?.kind === 'looking') return;
    if (sent !== null) return till.record({ units: sent.body.amount, cents: sent.body.cents ?? 0 });
    const question = isQuestion(stop) ? stop.kind : null;
    if (by === 'enter' && question !== null && question !== 'twice') return;
    const agreed = [...(held?.agreed ?? []), ...(question === null ? [] : [question])];
    const code = codeIn(raw);
    if (code !== null && !agreed.includes('card')) return void find(code);
    if (paid === null) return hold({ kind: 'missing' });
    const unusual = program?.unusual_amount ?? Infinity;
    if (paid.units > unusual && !agreed.includes('large') && !agreed.includes('card'))
      return hold({ kind: 'large' }, agreed);
    const ago = till.recordedAgo(draft.buyer, paid.units);
    if (ago !== null && !agreed.includes('twice')) return hold({ kind: 'twice', ago }, agreed);
    setStopped(null);
    return till.record(paid);
  }

  /** A card or a code that was scanned into the field of the amount. It is money only if nobody has it and somebody says so. */
  async function find(code: string) {
    hold({ kind: 'looking' });
    try {
      const found = await queries.fetchQuery({
        queryKey: [shop.id, 'find', code],
        queryFn: () => api.find(code, { attempts: 2, timeoutMs: 6_000 }),
      });
      // Somebody has typed on meanwhile, and may come back to it.
      if (draftsAt(shop.id).get().open?.amount !== raw)
        return setStopped((now) => (now?.raw === raw ? null : now));
      if (isSomebody(found)) return onScan(code);
      const mayBeMoney = code.length === 9 && Number(code) <= (program?.max_amount ?? 0);
      const words = t.nothing[code.length === 9 ? 'member' : 'voucher'](inGroups(code));
      return hold(mayBeMoney ? { kind: 'card' } : { kind: 'nobody', words });
    } catch (error) {
      return hold({ kind: 'failed', words: sayProblem(error, shared) });
    }
  }

  const written = writeAmount(raw, format.locale);
  const problem =
    stop?.kind === 'nobody' || stop?.kind === 'failed'
      ? stop.words
      : codeIn(raw) !== null
        ? null
        : typeof read === 'string'
          ? isSaidAtOnce(read) || stop !== null
            ? t.noAmount[read](written, format.money(1), shop.currency, format.money(most))
            : null
          : till.refusal !== null
            ? refusalOf(till.refusal, read.units)
            : null;
  const money = writeMoney(raw, format, shop.currency);
  const asked = !isQuestion(stop)
    ? null
    : {
        card: { words: t.cardOrMoney(inGroups(raw)), answer: t.recordMoney(money), isByHand: true },
        large: { words: t.unusual(money), answer: t.recordMoney(money), isByHand: true },
        twice: {
          words: t.twice(stop.kind === 'twice' ? stop.ago : 0),
          answer: t.recordAgain,
          isByHand: false,
        },
      }[stop.kind];

  return { asked, problem, paid, previewed, isLocked, isLooking: stop?.kind === 'looking', record };
}

const isQuestion = (stop: Stop | null): stop is Stop & { readonly kind: Question } =>
  stop !== null && ['card', 'large', 'twice'].includes(stop.kind);

/** The others may become an amount with the next key. */
const isSaidAtOnce = (read: string) => ['unclear', 'fraction', 'huge'].includes(read);

const isSomebody = ({ members, voucher }: Found) => members.length > 0 || voucher !== null;
