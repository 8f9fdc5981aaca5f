import type { Program } from '@loyalty/sdk/admin';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { queries } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/say.tsx';
import { Empty, sayProblem } from '../../ui/states.tsx';
import { DifferencesList } from '../differences-list.tsx';
import { differencesBetween, withoutDifference } from '../differences.ts';
import { modelKey, useEditing } from '../editing.ts';
import { patternOf } from '../paths.ts';
import { useProblemText } from '../problem-text.ts';
import { sectionOf } from '../sections.ts';
import { useProgramTexts } from '../texts.ts';
import { AtOnce } from './at-once.tsx';
import { Effect } from './effect.tsx';
import { Meanwhile } from './meanwhile.tsx';
import { Published, type PublishedDraft } from './published.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import './review.css';
import { useReviewTexts } from './texts.ts';
import { useWhatIf, type Range } from './use-what-if.ts';

/** The changes of the draft, the effect that they would have had over the last year, and the button that puts the draft in force. */
export default function Review() {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const { shop, path } = usePlace();
  const { isChanged, isBehind } = useEditing();
  const [published, setPublished] = useState<PublishedDraft | null>(null);
  // Somebody else may have published while this draft lay in the browser.
  useEffect(() => void queries.invalidateQueries({ queryKey: modelKey(shop.id) }), [shop.id]);
  if (published !== null && !isChanged) return <Published published={published} />;
  if (!isChanged)
    return (
      <Empty
        isPage
        title={t.nothing}
        act={
          <Link className="button main" href={path('program')}>
            {shared.all}
          </Link>
        }
      >
        {t.nothingText}
      </Empty>
    );
  return isBehind ? <Meanwhile /> : <Changes onPublished={setPublished} />;
}

function Changes({ onPublished }: { onPublished: (published: PublishedDraft) => void }) {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { program, base, inForce, check, checkError, isChecking, changeAll, undoably } = useEditing();
  const [range, setRange] = useState<Range>({ from: null, to: null });
  const [isPublishing, setPublishing] = useState(false);
  const differences = useMemo(() => differencesBetween(base.program, program), [base, program]);
  const problems = check?.problems ?? [];
  const isRight = check !== undefined && problems.length === 0 && !isChecking;
  const whatIf = useWhatIf(program, base.version, range, isRight);
  const putBack = (without: Program) => {
    const run = undoably(() => changeAll(without));
    say(t.changeDropped, { undo: { label: shared.restore, run } });
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
          <h1>{t.title(differences.length, f)}</h1>
          <p className="small" title={f.dayAndTime(inForce.in_force_at)}>
            {t.comparedWith(shared.version(base.version, f), f.day(inForce.in_force_at))}
          </p>
        </div>
        <div className="acts">
          <Link className="button" href={path('program')}>
            {t.keepEditing}
          </Link>
          <Button look="main" busy={!isRight} onClick={() => setPublishing(true)}>
            {t.publish}
          </Button>
        </div>
      </div>
      <div className="review-parts">
        <div className="stack review-what">
          <section className="card rows" aria-labelledby="what-changes">
            <h2 id="what-changes">{t.whatChanges}</h2>
            <DifferencesList
              differences={differences}
              isEditable
              acts={(difference) => (
                <button
                  type="button"
                  className="round"
                  aria-label={t.dropChange(
                    [shared.labels[patternOf(difference.path)] ?? difference.path, difference.entry]
                      .filter(Boolean)
                      .join(' · '),
                  )}
                  title={t.dropChangeShort}
                  onClick={() => putBack(withoutDifference(program, difference, base.program))}
                >
                  <Icon name="close" size={16} />
                </button>
              )}
            />
            {check?.warnings.map((warning) => (
              <p key={warning} className="small warning">
                {warning}
              </p>
            ))}
          </section>
          {whatIf.state.kind === 'done' && problems.length === 0 && (
            <AtOnce publishing={whatIf.state.result.publishing} />
          )}
        </div>
        <div className="stack review-effect">
          {check === undefined && checkError !== null ? (
            <NotChecked />
          ) : problems.length > 0 ? (
            <Problems />
          ) : (
            <Effect whatIf={whatIf} range={range} onRange={setRange} />
          )}
        </div>
      </div>
      {isPublishing && (
        <PublishDialog
          seen={whatIf.state.kind === 'done' ? whatIf.state.result : null}
          range={range}
          differences={differences}
          onPublished={onPublished}
          onClose={() => setPublishing(false)}
        />
      )}
    </div>
  );
}

/** Nothing is known of the changes, so they can be neither computed nor published. */
function NotChecked() {
  const t = useReviewTexts();
  const { shared } = useProgramTexts();
  const { checkError, checkAgain } = useEditing();
  return (
    <section className="card inside running" role="alert">
      <h2>{t.notChecked}</h2>
      <p className="small">{sayProblem(checkError, shared)}</p>
      <Button onClick={checkAgain}>{shared.retry}</Button>
    </section>
  );
}

/** The problems to correct before the effect can be computed. */
function Problems() {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { check } = useEditing();
  const tell = useProblemText();
  const problems = check?.problems ?? [];
  return (
    <section className="card inside">
      <h2>{shared.problems(problems.length, f)}</h2>
      <p className="small">{t.problemsText}</p>
      <ul>
        {problems.map((problem) => {
          const section = sectionOf(problem.path);
          return (
            <li key={`${problem.path} ${problem.message}`} className="row">
              <span className="row-words">
                <span>{tell(problem)}</span>
                <span className="small">
                  {section === undefined ? problem.path : shared.sections[section.name]}
                </span>
              </span>
              {section !== undefined && (
                <Link className="button" href={path('program', section.name)}>
                  {t.correct}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
