import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/say.tsx';
import { useAuthorName } from '../authors.ts';
import { DifferencesList } from '../differences-list.tsx';
import { differencesBetween } from '../differences.ts';
import { useEditing } from '../editing.ts';
import { mergePrograms, type Conflict } from '../merge.ts';
import { patternOf } from '../paths.ts';
import { useProgramTexts } from '../texts.ts';
import { useValueText } from '../value-text.tsx';
import { useReviewTexts } from './texts.ts';

/** Somebody else published while the draft was open: shows both changes, and asks what is to become of the draft. */
export function Meanwhile() {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { base, program, inForce, changeAll, discard, undoably } = useEditing();
  const author = useAuthorName()(inForce.by);
  const [choices, setChoices] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({});
  const theirs = useMemo(() => differencesBetween(base.program, inForce.program), [base, inForce]);
  const mine = useMemo(() => differencesBetween(base.program, program), [base, program]);
  const merged = useMemo(
    () => mergePrograms(base.program, program, inForce.program, ({ id }) => choices[id] !== 'theirs'),
    [base, program, inForce, choices],
  );
  const isDecided = merged.conflicts.every(({ id }) => choices[id] !== undefined);
  const now = shared.version(inForce.version, f);
  const merge = () => {
    const { version, program: theirProgram } = inForce;
    const run = undoably(() => changeAll(merged.program, { version, program: theirProgram }));
    say(t.merged(now), { undo: { label: shared.restore, run } });
  };
  const drop = () => {
    say(shared.discarded, { undo: { label: shared.restore, run: undoably(() => discard()) } });
  };
  return (
    <div className="review">
      <nav className="crumbs" aria-label={t.where}>
        <Link href={path('program')}>{shared.title}</Link>
        <span aria-hidden="true">/</span>
        <span aria-current="page">{shared.review}</span>
      </nav>
      <div className="page-head">
        <div className="words">
          <h1>{shared.behindTitle(author)}</h1>
          <p className="small">{t.meanwhileText(now, f.dayAndTime(inForce.in_force_at))}</p>
        </div>
      </div>
      <div className="both">
        <section className="card rows" aria-labelledby="theirs">
          <h2 id="theirs">{t.theirs(now)}</h2>
          {theirs.length === 0 ? (
            <p className="small">{t.theirsSame(shared.version(base.version, f))}</p>
          ) : (
            <DifferencesList differences={theirs} />
          )}
        </section>
        <section className="card rows" aria-labelledby="mine">
          <h2 id="mine">{t.mine}</h2>
          <DifferencesList differences={mine} isEditable />
        </section>
      </div>
      {merged.conflicts.length > 0 && (
        <section className="card inside form conflicts" aria-labelledby="conflicts">
          <h2 id="conflicts">{t.conflicts(merged.conflicts.length, f)}</h2>
          <p className="small">{t.conflictsText}</p>
          {merged.conflicts.map((conflict) => (
            <Choose
              key={conflict.id}
              conflict={conflict}
              choice={choices[conflict.id]}
              onChoose={(choice) => setChoices({ ...choices, [conflict.id]: choice })}
            />
          ))}
        </section>
      )}
      <section className="card inside form">
        <p>{isDecided ? t.mergeText : t.decideFirst}</p>
        <div className="acts">
          <Button look="main" busy={!isDecided} onClick={merge}>
            {t.merge(now)}
          </Button>
          <Button onClick={drop}>{t.drop}</Button>
          <Link className="button" href={path('program')}>
            {t.keepEditing}
          </Link>
        </div>
      </section>
    </div>
  );
}

function Choose(props: {
  conflict: Conflict;
  choice: 'mine' | 'theirs' | undefined;
  onChoose: (choice: 'mine' | 'theirs') => void;
}) {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const valueText = useValueText();
  const { conflict, choice, onChoose } = props;
  const tell = (value: unknown) =>
    value === undefined ? shared.difference.removed : valueText(conflict.path, value);
  return (
    <fieldset className="field">
      <legend>{shared.labels[patternOf(conflict.path)] ?? conflict.path}</legend>
      <div className="radios">
        {(['mine', 'theirs'] as const).map((one) => (
          <label key={one} className={choice === one ? 'radio is-on' : 'radio'}>
            <input type="radio" name={conflict.id} checked={choice === one} onChange={() => onChoose(one)} />
            <span className="row-words">
              <b>{tell(conflict[one])}</b>
              <span className="small">{one === 'mine' ? t.takeMine : t.takeTheirs}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
