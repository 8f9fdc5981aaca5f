import { useFormat } from '../format.ts';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { ClockControl, Due } from './clock-control.tsx';
import { useDeveloperTexts } from './texts.ts';
import { useClock } from './use-clock.ts';

/** The time of the shop's program, and how it was moved. */
export function ClockPage() {
  const t = useDeveloperTexts();
  const format = useFormat();
  const clock = useClock();
  const before = clock.data?.moves.slice(clock.data.is_moving ? 0 : 1) ?? [];
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.clockTitle}</h1>
          <p className="small">{t.clockText}</p>
        </div>
      </div>
      {clock.isPending ? (
        <Waiting rows={3} />
      ) : clock.isError ? (
        <Problem error={clock.error} onRetry={() => void clock.refetch()} />
      ) : !clock.data.sandbox ? (
        <section className="card">
          <Empty title={t.realClock(format.dayAndTime(clock.data.now))}>{t.realClockText}</Empty>
        </section>
      ) : (
        <div className="stack">
          <section className="card inside" aria-label={t.clockTitle}>
            <ClockControl clock={clock.data} />
          </section>
          {before.length > 0 && (
            <section className="card" aria-labelledby="moves-title">
              <div className="toolbar">
                <h2 id="moves-title">{t.movesBefore}</h2>
              </div>
              <ul className="rows">
                {before.map((move) => (
                  <li key={`${move.at} ${move.to}`} className="row clock-move">
                    <div className="row-words">
                      <b>{t.moved(format.dayAndTime(move.from), format.dayAndTime(move.to))}</b>
                      <Due move={move} />
                    </div>
                    <div className="small">
                      {move.by.kind === 'command_line' ? t.commandLine : 'name' in move.by && move.by.name}
                      <When at={move.at} />
                    </div>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      )}
    </>
  );
}
