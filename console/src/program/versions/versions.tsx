import type { ProgramVersionLine } from '@loyalty/sdk/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Problem, sayProblem, Waiting } from '../../ui/states.tsx';
import { useAuthorName } from '../authors.ts';
import { useEditing } from '../editing.ts';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { useVersionTexts } from './texts.ts';
import { Version } from './version.tsx';
import './versions.css';

/** Every version of the program, and the page of each at `versions/N`. */
export default function VersionsPage() {
  const [path] = useLocation();
  const number = Number(path.split('/')[4] ?? Number.NaN);
  return Number.isSafeInteger(number) && number > 0 ? (
    <Version key={number} number={number} />
  ) : (
    <VersionList />
  );
}

function VersionList() {
  const shared = useProgramTexts();
  const t = useVersionTexts();
  const { api, shop } = usePlace();
  const { inForce } = useEditing();
  const versions = useInfiniteQuery({
    queryKey: [shop.id, 'program-versions', inForce.version],
    queryFn: ({ pageParam: cursor, signal }) => api.listProgramVersions({ cursor }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  const lines = versions.data?.pages.flatMap((page) => page.results);
  return (
    <div className="stack">
      <SectionHead title={shared.sections.versions}>{t.lead}</SectionHead>
      {lines !== undefined ? (
        <ol className="card rows versions">
          {lines.map((line) => (
            <Line key={line.version} line={line} />
          ))}
        </ol>
      ) : versions.isError ? (
        <div className="card">
          <Problem error={versions.error} onRetry={() => void versions.refetch()} />
        </div>
      ) : (
        <Waiting rows={6} />
      )}
      {versions.isError && lines !== undefined && (
        <p className="wrong" role="alert">
          {sayProblem(versions.error, shared.shared)}
        </p>
      )}
      {versions.hasNextPage && (
        <Button busy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </div>
  );
}

function Line({ line }: { line: ProgramVersionLine }) {
  const shared = useProgramTexts();
  const t = useVersionTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { inForce } = useEditing();
  const author = useAuthorName()(line.by);
  return (
    <li className="row">
      <span className="row-words">
        <Link className="row-link" href={path('program', 'versions', String(line.version))}>
          {shared.version(line.version, f)}
        </Link>
        <span className="small" title={f.dayAndTime(line.in_force_at)}>
          {[f.day(line.in_force_at), author !== null && t.by(author), line.note].filter(Boolean).join(' · ')}
        </span>
      </span>
      {line.version === inForce.version && <span className="tag gain">{t.current}</span>}
      <span className="small count">{line.version === 1 ? t.first : t.changes(line.changes, f)}</span>
      <Icon name="arrow" size={16} />
    </li>
  );
}
