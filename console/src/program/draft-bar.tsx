import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/say.tsx';
import { sayProblem } from '../ui/states.tsx';
import { differencesBetween } from './differences.ts';
import { useEditing } from './editing.ts';
import { anchorOf } from './parts.tsx';
import { sectionOf } from './sections.ts';
import { useProgramTexts } from './texts.ts';

/** Stays at the lower edge while there are changes: how many, what is wrong with them, and the way to the review. */
export function DraftBar() {
  const t = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { program, base, isChanged, check, checkError, checkAgain, discard, undoably } = useEditing();
  const count = useMemo(() => differencesBetween(base.program, program).length, [base, program]);
  if (!isChanged) return null;
  const problems = check?.problems ?? [];
  const onDiscard = () => {
    say(t.discarded, { undo: { label: t.restore, run: undoably(() => discard()) } });
  };
  return (
    <section className="draft-bar" aria-label={t.changes(count, f)}>
      <p role="status">
        {problems.length > 0 ? (
          <span className="wrong icon-line">
            <Icon name="alert" size={18} />
            <b>{t.problems(problems.length, f)}</b>
          </span>
        ) : (
          <b>{t.changes(count, f)}</b>
        )}
        {checkError !== null && (
          <span className="small">
            {t.checkFailed} {sayProblem(checkError, t.shared)}
          </span>
        )}
      </p>
      {checkError !== null && <TextButton onClick={checkAgain}>{t.shared.retry}</TextButton>}
      {problems.length > 0 && <ShowProblem at={problems[0]!.path} />}
      <span className="acts">
        <Button onClick={onDiscard}>{t.discard}</Button>
        <Link className="button main" href={path('program', 'review')}>
          {t.review}
        </Link>
      </span>
    </section>
  );
}

/** Leads to the field that has a problem, on whichever page it is. */
function ShowProblem({ at }: { at: string }) {
  const t = useProgramTexts();
  const { path } = usePlace();
  const [, go] = useLocation();
  const show = () => {
    const section = sectionOf(at);
    if (section !== undefined) go(path('program', section.name));
    showField(at, 50);
  };
  return <TextButton onClick={show}>{t.showProblem}</TextButton>;
}

/** The page may still be loading, and takes no focus before it is shown. */
function showField(at: string, tries: number): void {
  const field = document.querySelector(`#${anchorOf(at)}`);
  const input = field?.querySelector<HTMLElement>('input, select, textarea, button');
  input?.focus({ preventScroll: true });
  if (input != null && document.activeElement === input) field?.scrollIntoView({ block: 'center' });
  else if (tries > 0) setTimeout(() => showField(at, tries - 1), 100);
}
