import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { useAuthorName } from './authors.ts';
import { useEditing } from './editing.ts';
import { useSectionStates } from './section-states.ts';
import { SECTIONS } from './sections.ts';
import { useSentences } from './sentences.ts';
import { useProgramTexts } from './texts.ts';

/** The whole program in a sentence for each part, with what was changed marked. */
export function Overview() {
  const t = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { inForce } = useEditing();
  const nameOf = useAuthorName();
  const stateOf = useSectionStates();
  const sentenceOf = useSentences();
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.title}</h1>
          <p className="small" title={f.dayAndTime(inForce.in_force_at)}>
            {t.since(t.version(inForce.version, f), f.day(inForce.in_force_at), nameOf(inForce.by))}
          </p>
        </div>
      </div>
      <nav aria-label={t.sectionsLabel}>
        <ul className="card rows overview">
          {SECTIONS.map((section) => {
            const state = stateOf(section);
            return (
              <li key={section.name} className="row">
                <Link className="row-link" href={path('program', section.name)}>
                  {t.sections[section.name]}
                </Link>
                <span className="sentence">{sentenceOf(section.name)}</span>
                {state !== null && (
                  <span className={state === 'wrong' ? 'tag wrong' : 'tag ending'}>
                    {state === 'wrong' ? t.hasProblems : t.changed}
                  </span>
                )}
                <Icon name="arrow" size={16} />
              </li>
            );
          })}
        </ul>
      </nav>
      <p className="small overview-foot">{t.lead}</p>
    </>
  );
}
