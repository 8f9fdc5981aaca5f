import { Link, useLocation } from 'wouter';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { DifferencesList } from '../differences-list.tsx';
import type { Difference } from '../differences.ts';
import { useEditing, type Editing } from '../editing.ts';
import { useProgramTexts } from '../texts.ts';
import { useReviewTexts } from './texts.ts';

type Texts = ReturnType<typeof useReviewTexts>;

/** A draft that is in force now. */
export interface PublishedDraft {
  readonly version: number;
  /** In the words of the service, with the members who moved. */
  readonly changes: readonly string[];
  readonly differences: readonly Difference[];
  readonly before: Editing['base'];
}

/** The effect of publishing, and the way back. */
export function Published({ published }: { published: PublishedDraft }) {
  const t = useReviewTexts();
  const shared = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { inForce, changeAll } = useEditing();
  const { version, before, differences, changes } = published;
  const isNewest = inForce.version === version;
  const moved = changes.filter((line) => /^(\d|members?\b)/.test(line));
  return (
    <div className="stack published">
      <section className="card state">
        <span className="badge done">
          <Icon name="check" />
        </span>
        <h1>{t.inForceNow(shared.version(version, f))}</h1>
        <p>
          {countsNow(differences).map((part) => `${t.countsNow[part]} `)}
          {t.inForceText}
        </p>
        <div className="acts">
          <Link className="button main" href={path('program')}>
            {t.toProgram}
          </Link>
          {isNewest && (
            <Button
              onClick={() => {
                changeAll(before.program);
                go(path('program', 'review'));
              }}
            >
              {t.goBack(shared.version(before.version, f))}
            </Button>
          )}
        </div>
      </section>
      <section className="card rows" aria-labelledby="what-changed">
        <h2 id="what-changed">{t.whatChanged}</h2>
        <DifferencesList differences={differences} />
        {moved.map((line) => (
          <p key={line} className="small">
            {line}
          </p>
        ))}
      </section>
    </div>
  );
}

const PARTS = [
  ['purchases', /^(?:earning|levels)\b/],
  ['catalog', /^benefits\b/],
  ['mails', /^mail\b/],
  ['pages', /^(?:name|logo|color|category_name|tagline|cover)$/],
] as const;

/** The parts of the shop's day that the changes touch. */
function countsNow(differences: readonly Difference[]): (keyof Texts['countsNow'])[] {
  const touched = PARTS.filter(([, paths]) => differences.some(({ path }) => paths.test(path)));
  return touched.length === 0 ? ['others'] : touched.map(([part]) => part);
}
