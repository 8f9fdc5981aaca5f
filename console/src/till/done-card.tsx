import { useFormat } from '../format.ts';
import { TextButton } from '../ui/button.tsx';
import { Drawn, Icon } from '../ui/icon.tsx';
import { SPARKLES } from './icons.ts';
import { useTillTexts } from './texts.ts';
import { useUndo } from './use-undo.ts';
import type { Done } from './done.ts';
import type { Till } from './use-till.ts';

/** Says calmly what was done, until the next customer comes. */
export function DoneCard({ done, till }: { done: Done; till: Till }) {
  const t = useTillTexts();
  if (done.kind === 'recorded') return <Recorded done={done} till={till} />;
  return (
    <section className="card inside outcome" aria-label={t.justDone}>
      <span className="badge">
        <Icon name="check" />
      </span>
      <div className="words">
        <b>{t.usedTitle(done.voucher.title)}</b>
        <span className="small">{t.usedText}</span>
      </div>
    </section>
  );
}

function Recorded({ done, till }: { done: Done & { kind: 'recorded' }; till: Till }) {
  const t = useTillTexts();
  const format = useFormat();
  const undo = useUndo(till);
  const { name, paid, answer, reached, isUndone } = done;
  const { points, points_waiting: later, balance, waits, replayed, consumption_id: id } = answer;
  return (
    <section
      className={isUndone ? 'card outcome is-large is-undone' : 'card outcome is-large'}
      aria-label={t.justDone}
    >
      <div className="outcome-head">
        <span className="badge">
          <Icon name={isUndone ? 'close' : 'check'} size={28} />
        </span>
        <div className="words">
          <b className={isUndone ? undefined : 'gain'}>
            {isUndone ? t.dayReturned : t.recordedTitle(points, format)}
          </b>
          <span className="small">{t.recordedFor(paid, name)}</span>
        </div>
        {!isUndone && (
          <TextButton
            aria-disabled={undo.isPending || undefined}
            onClick={() => undo.mutate({ id, name, paid })}
          >
            {undo.isPending ? t.undoing : t.undo}
          </TextButton>
        )}
      </div>
      {!isUndone && (
        <div className="outcome-balance">
          <b className="clip">{name}</b>
          {balance !== null && !waits && (
            <span className="new-balance" data-long={format.number(balance).length > 7 || undefined}>
              {t.newBalance(balance, format)}
            </span>
          )}
          {waits && <span className="small">{t.recordedWaits}</span>}
          {later > 0 && <span className="small">{t.recordedLater(later, format)}</span>}
          {replayed && <span className="small">{t.recordedBefore}</span>}
          {reached !== null && (
            <span className="icon-line reached">
              <Drawn path={SPARKLES} size={18} />
              <b>
                {t.reached(
                  reached.name,
                  reached.points_multiplier === 1 ? null : format.number(reached.points_multiplier),
                )}
              </b>
            </span>
          )}
        </div>
      )}
      <p className="small outcome-next">{t.nextHint}</p>
    </section>
  );
}
