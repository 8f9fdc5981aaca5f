import { lazy, Suspense, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { usePlace } from '../session.ts';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { DraftBar } from './draft-bar.tsx';
import { EditingContext, useEditingOf, useProgramInForce } from './editing.ts';
import { MeanwhileNote } from './meanwhile-note.tsx';
import { Overview } from './overview.tsx';
import './program.css';
import { SectionNav } from './section-nav.tsx';
import { SECTIONS } from './sections.ts';
import { useProgramTexts } from './texts.ts';
import type { ProgramInForce } from '@loyalty/sdk/admin';

const Review = lazy(() => import('./review/review.tsx'));

/** The rules of the shop: an overview, a page for each part, and the review of what was changed. */
export default function ProgramPage() {
  const t = useProgramTexts();
  const inForce = useProgramInForce();
  if (inForce.data !== undefined) return <Program inForce={inForce.data} />;
  return (
    <>
      <h1 className="page-title">{t.title}</h1>
      {inForce.isError ? (
        <Problem error={inForce.error} onRetry={() => void inForce.refetch()} />
      ) : (
        <Waiting rows={6} />
      )}
    </>
  );
}

function Program({ inForce }: { inForce: ProgramInForce }) {
  const editing = useEditingOf(inForce);
  const [path] = useLocation();
  const part = path.split('/')[3] ?? '';
  const view = useMemo(() => <Part name={part} />, [part]);
  return (
    <EditingContext value={editing}>
      {part === 'review' ? (
        view
      ) : (
        <>
          <MeanwhileNote />
          <div className={part === '' ? 'program is-overview' : 'program'}>
            {part !== '' && <SectionNav current={part} />}
            <div className="program-part">{view}</div>
          </div>
          <DraftBar />
        </>
      )}
    </EditingContext>
  );
}

function Part({ name }: { name: string }) {
  const t = useProgramTexts();
  const { path } = usePlace();
  if (name === '') return <Overview />;
  const section = SECTIONS.find((one) => one.name === name);
  if (section === undefined && name !== 'review')
    return (
      <Empty
        isPage
        title={t.shared.noPageTitle}
        act={
          <Link className="button main" href={path('program')}>
            {t.all}
          </Link>
        }
      >
        {t.shared.noPageText}
      </Empty>
    );
  return (
    <Suspense fallback={<Coming title={section === undefined ? t.review : t.sections[section.name]} />}>
      {section === undefined ? <Review /> : <section.View />}
    </Suspense>
  );
}

function Coming({ title }: { title: string }) {
  return (
    <>
      <h1 className="unseen">{title}</h1>
      <Waiting tall />
    </>
  );
}
