import type { ProgramVersion } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/say.tsx';
import { Problem, Waiting } from '../../ui/states.tsx';
import { useAuthorName } from '../authors.ts';
import { differencesBetween, type Difference } from '../differences.ts';
import { DifferencesList } from '../differences-list.tsx';
import { useEditing } from '../editing.ts';
import { useProgramTexts } from '../texts.ts';
import { useVersionTexts } from './texts.ts';

/** One version: who published it, what it changed, and what going back to it would change. */
export function Version({ number }: { number: number }) {
  const shared = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const version = useVersion(number);
  const before = useVersion(number - 1);
  const failed = version.isError ? version : before;
  return (
    <div className="stack">
      <nav className="crumbs" aria-label={shared.sections.versions}>
        <Link href={path('program', 'versions')}>{shared.sections.versions}</Link>
        <span aria-hidden="true">/</span>
        <span aria-current="page">{shared.version(number, f)}</span>
      </nav>
      {version.data !== undefined && (number === 1 || before.data !== undefined) ? (
        <Told version={version.data} before={before.data ?? null} />
      ) : (
        <>
          <h1>{shared.version(number, f)}</h1>
          {failed.isError ? (
            <div className="card">
              <Problem error={failed.error} onRetry={() => void failed.refetch()} />
            </div>
          ) : (
            <Waiting tall rows={2} />
          )}
        </>
      )}
    </div>
  );
}

/** A version never changes. There is none before the first. */
function useVersion(number: number) {
  const { api, shop } = usePlace();
  return useQuery({
    queryKey: [shop.id, 'program-version', number],
    queryFn: ({ signal }) => api.getProgramVersion(number, { signal }),
    enabled: number > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function Told({ version, before }: { version: ProgramVersion; before: ProgramVersion | null }) {
  const shared = useProgramTexts();
  const t = useVersionTexts();
  const f = useFormat();
  const { inForce } = useEditing();
  const author = useAuthorName()(version.by);
  const isInForce = version.version === inForce.version;
  const changed = useMemo(
    () => (before === null ? [] : differencesBetween(before.program, version.program)),
    [before, version],
  );
  const back = useMemo(
    () => differencesBetween(inForce.program, version.program),
    [inForce.program, version.program],
  );
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{shared.version(version.version, f)}</h1>
          {version.note !== null && <p>{version.note}</p>}
        </div>
        {back.length > 0 && <GoBack version={version} />}
        {isInForce && <span className="tag gain">{t.current}</span>}
      </div>
      <dl className="card inside version-facts">
        <div>
          <dt>{t.since}</dt>
          <dd>{f.dayAndTime(version.in_force_at)}</dd>
        </div>
        {author !== null && (
          <div>
            <dt>{t.author}</dt>
            <dd>{author}</dd>
          </div>
        )}
      </dl>
      {before !== null && (
        <Differences title={t.whatItChanged} none={t.changedNothing} differences={changed} />
      )}
      {!isInForce && <Differences title={t.whatBack} none={t.backNothing} differences={back} />}
    </>
  );
}

function Differences(props: { title: string; none: string; differences: readonly Difference[] }): ReactNode {
  return (
    <section className="card rows">
      <h2 className="inside-head">{props.title}</h2>
      {props.differences.length === 0 ? (
        <p className="small inside-text">{props.none}</p>
      ) : (
        <DifferencesList differences={props.differences} />
      )}
    </section>
  );
}

/** Makes the version the draft. Nothing is in force before it is published. */
function GoBack({ version }: { version: ProgramVersion }) {
  const shared = useProgramTexts();
  const t = useVersionTexts();
  const f = useFormat();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { inForce, isChanged, changeAll, undoably } = useEditing();
  const goBack = () => {
    const run = undoably(() =>
      changeAll(version.program, { version: inForce.version, program: inForce.program }),
    );
    say(t.broughtBack(shared.version(version.version, f)), {
      ...(isChanged && { undo: { label: t.restore, run } }),
    });
    go(path('program', 'review'));
  };
  return (
    <Button look="main" onClick={goBack}>
      {t.back}
    </Button>
  );
}
