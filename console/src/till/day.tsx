import type { TillLine } from '@loyalty/sdk/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { sumOf } from '../amount.ts';
import { nameOfRegister } from '../branches.ts';
import { Overlay } from '../frame/overlays.tsx';
import { useOnline } from '../frame/network.tsx';
import { useFormat } from '../format.ts';
import { usePolling } from '../polling.ts';
import { useBranches, usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Drawn, Icon } from '../ui/icon.tsx';
import { Problem, Waiting } from '../ui/states.tsx';
import type { Draft } from './drafts.ts';
import { CONNECTED } from './icons.ts';
import { placeOf, tillDayKey } from './register.ts';
import { useTillTexts } from './texts.ts';
import { useUndo } from './use-undo.ts';
import type { Till } from './use-till.ts';

/** Both are asked once a device, so nobody waits for them. */
const RegisterQuestion = lazy(async () => ({
  default: (await import('./register-choice.tsx')).RegisterQuestion,
}));
const RegisterDialog = lazy(async () => ({
  default: (await import('./register-choice.tsx')).RegisterDialog,
}));

/** Lists this register's day, newest first, with the entries that can be undone. */
export function Day({ till }: { till: Till }) {
  const t = useTillTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const isOnline = useOnline();
  const [isChoosing, setChoosing] = useState(false);
  const { register, aside } = till;
  const at = placeOf(register);
  const registerName = nameOfRegister(useBranches(), at.register_id, at.branch_id);
  const day = useInfiniteQuery({
    queryKey: tillDayKey(shop.id, register),
    queryFn: ({ pageParam: cursor, signal }) => api.listTillDay({ ...at, cursor }, { signal, attempts: 2 }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: usePolling(60_000),
  });
  const lines = day.data?.pages.flatMap((page) => page.results) ?? [];
  const totals = day.data?.pages[0];
  return (
    <section className="stack day" aria-labelledby="day-title">
      <div className="day-head">
        <h2 id="day-title">{t.today(registerName ?? at.register_id)}</h2>
        {register !== null && <TextButton onClick={() => setChoosing(true)}>{t.changeRegister}</TextButton>}
      </div>
      <Overlay key={String(register === null)}>{register === null && <RegisterQuestion />}</Overlay>
      {aside.length > 0 && (
        <ul className="card rows" aria-label={t.asideTitle}>
          {aside.map((draft) => (
            <Aside key={draft.key} draft={draft} till={till} />
          ))}
        </ul>
      )}
      {day.isError && day.data === undefined ? (
        <div className="card">
          <Problem error={day.error} onRetry={() => void day.refetch()} />
        </div>
      ) : day.data === undefined ? (
        <Waiting rows={4} />
      ) : lines.length === 0 ? (
        <div className="card inside day-empty">
          <b>{t.dayEmptyTitle}</b>
          <p className="small">{t.dayEmpty}</p>
        </div>
      ) : (
        <ul className="card rows">
          {lines.map((line) => (
            <Line key={`${line.kind} ${line.id}`} line={line} till={till} />
          ))}
        </ul>
      )}
      {day.hasNextPage && (
        <Button busy={day.isFetchingNextPage} onClick={() => void day.fetchNextPage()}>
          {t.dayMore}
        </Button>
      )}
      {totals !== undefined && lines.length > 0 && (
        <p className="small icon-line">
          {isOnline ? <Drawn path={CONNECTED} size={16} /> : <Icon name="offline" size={16} />}
          <span>
            {t.totals(
              totals.purchases,
              format.money(sumOf({ units: totals.amount, cents: totals.cents }, shop.currency)),
              totals.points,
              totals.used_codes,
              format,
            )}
          </span>
        </p>
      )}
      <Overlay key={`choosing ${isChoosing}`}>
        {isChoosing && <RegisterDialog onClose={() => setChoosing(false)} />}
      </Overlay>
    </section>
  );
}

function Line({ line, till }: { line: TillLine; till: Till }) {
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const undo = useUndo(till);
  const { currency } = usePlace().shop;
  const { id, kind, at, amount, points, title, can_undo: canUndo } = line;
  const paid = sumOf({ units: amount ?? 0, cents: line.cents }, currency);
  const reversed = sumOf({ units: line.reversed_amount, cents: line.reversed_cents }, currency);
  const name = line.username ?? shared.noName;
  const isReturned = kind === 'purchase' && amount !== null && line.reversed_amount >= amount;
  const note =
    kind === 'usage'
      ? t.dayUsed
      : kind === 'return'
        ? t.dayReturn
        : isReturned
          ? t.dayReturned
          : reversed > 0
            ? t.dayPartly(format.money(reversed))
            : null;
  return (
    <li className={isReturned ? 'row is-returned' : 'row'}>
      <div className="row-words">
        <span className="name clip" title={title ?? undefined}>
          {kind === 'usage' ? title : format.money(paid)}
        </span>
        <span className="small clip" title={`${format.dayAndTime(at)} · ${name}`}>
          {[format.time(at), note, name].filter(Boolean).join(' · ')}
        </span>
      </div>
      {kind !== 'usage' && (
        <b className={points > 0 && !isReturned ? 'change gain' : 'change'}>{format.change(points)}</b>
      )}
      {canUndo && (
        <TextButton
          aria-label={`${t.undo}: ${t.recordedFor(format.money(paid), name)}`}
          aria-disabled={undo.isPending || undefined}
          onClick={() => undo.mutate({ id, name, paid: format.money(paid - reversed) })}
        >
          {undo.isPending ? t.undoing : t.undo}
        </TextButton>
      )}
    </li>
  );
}

/** A purchase that was put aside for the next customer before it was known whether it counted. */
function Aside({ draft, till }: { draft: Draft; till: Till }) {
  const t = useTillTexts();
  const format = useFormat();
  const { currency } = usePlace().shop;
  const { name, sent } = draft;
  const { amount: units, cents = 0 } = sent!.body;
  return (
    <li className="row">
      <div className="row-words">
        <span className="name clip">{t.aside(format.money(sumOf({ units, cents }, currency)), name)}</span>
        <span className="small ending">{sent!.outcome === 'unsent' ? t.offlineUnsent : t.asideHint}</span>
      </div>
      <TextButton onClick={() => till.retry(draft)}>{t.retry}</TextButton>
    </li>
  );
}
