import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { useNow } from '../../session.ts';
import { Button, TextButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { useEditing } from '../editing.ts';
import { InstantAt, isWholeDay } from '../instant-at.tsx';
import { anchorOf } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { tellPeriod } from '../value-text.tsx';
import { addDays, instantOf, localTimeOf } from '../zone.ts';
import { usePageTexts } from './texts.ts';

const LIST = 'earning.double_points';

/** When purchases earn twice as much. */
export default function DoublePointsPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const f = useFormat();
  const { program, change } = useEditing();
  const now = Date.parse(useNow());
  const periods = program.earning.double_points.map((period, index) => ({ ...period, index }));
  const isOver = ({ to }: { to: string }) => Date.parse(to) <= now;
  const coming = periods.filter((period) => !isOver(period));
  const over = periods.filter(isOver);
  const add = () => {
    const zone = program.time_zone;
    const last = periods.reduce((latest, { to }) => Math.max(latest, Date.parse(to) || 0), now);
    const day = addDays(localTimeOf(new Date(last).toISOString(), zone).slice(0, 10), 1);
    change(`${LIST}[${periods.length}]`, {
      from: instantOf(`${day}T00:00`, zone),
      to: instantOf(`${addDays(day, 1)}T00:00`, zone),
    });
  };
  const addButton = (
    <Button onClick={add}>
      <Icon name="plus" size={18} />
      {t.addPeriod}
    </Button>
  );
  return (
    <div className="stack">
      <SectionHead title={shared.sections['double-points']} act={coming.length > 0 && addButton}>
        {t.doubleLead}
      </SectionHead>
      {coming.length === 0 ? (
        <section className="card">
          <Empty title={t.doubleNone} act={addButton}>
            {t.doubleNoneText}
          </Empty>
        </section>
      ) : (
        <ul className="stack">
          {coming.map(({ index, from }) => (
            <Period key={index} index={index} isOpen={Date.parse(from) <= now} />
          ))}
        </ul>
      )}
      {over.length > 0 && (
        <details className="card inside">
          <summary>{t.pastPeriods(over.length, f)}</summary>
          <ul className="rows-plain">
            {over.map(({ index, from, to }) => (
              <li key={index} className="row">
                <span className="row-words">{tellPeriod(from, to, shared, f)}</span>
                <Remove index={index} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Whole days as people plan them or, if one begins or ends within a day, with hours. */
function Period({ index, isOpen }: { index: number; isOpen: boolean }) {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const f = useFormat();
  const { program } = useEditing();
  const { from, to } = program.earning.double_points[index]!;
  const zone = program.time_zone;
  const isWhole = isWholeDay(from, zone) && isWholeDay(to, zone);
  const [byHour, setByHour] = useState(!isWhole);
  const place = `${LIST}[${index}]`;
  return (
    <li className="card inside form" id={anchorOf(place)}>
      <div className="row-head">
        <h2>{tellPeriod(from, to, shared, f)}</h2>
        <span className={isOpen ? 'tag gain' : 'tag'}>{isOpen ? t.open : t.coming}</span>
        <Remove index={index} />
      </div>
      <div className="field-pair">
        {byHour ? (
          <>
            <InstantAt path={`${place}.from`} label={t.fromTime} type="datetime-local" />
            <InstantAt path={`${place}.to`} label={t.toTime} type="datetime-local" />
          </>
        ) : (
          <>
            <InstantAt path={`${place}.from`} label={t.firstDay} type="date" />
            <InstantAt path={`${place}.to`} label={t.lastDay} type="date" isLastDay />
          </>
        )}
      </div>
      {(isWhole || !byHour) && (
        <p>
          <TextButton onClick={() => setByHour(!byHour)}>{byHour ? t.byDay : t.byHour}</TextButton>
        </p>
      )}
    </li>
  );
}

function Remove({ index }: { index: number }) {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const f = useFormat();
  const { program, change } = useEditing();
  const { from, to } = program.earning.double_points[index]!;
  return (
    <button
      type="button"
      className="round"
      aria-label={t.removePeriod(tellPeriod(from, to, shared, f))}
      onClick={() => change(`${LIST}[${index}]`, undefined)}
    >
      <Icon name="close" size={18} />
    </button>
  );
}
