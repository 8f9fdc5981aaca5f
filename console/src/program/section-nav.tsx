import { Link } from 'wouter';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { useSectionStates } from './section-states.ts';
import { SECTIONS } from './sections.ts';
import { useProgramTexts } from './texts.ts';

/** The parts of the program at the left; on a phone, the way back to all of them. */
export function SectionNav({ current }: { current: string }) {
  const t = useProgramTexts();
  const { path } = usePlace();
  const stateOf = useSectionStates();
  return (
    <nav className="parts" aria-label={t.sectionsLabel}>
      <Link className="parts-back" href={path('program')}>
        <Icon name="arrow" size={16} />
        {t.all}
      </Link>
      <ul>
        {SECTIONS.map((section) => {
          const state = stateOf(section);
          return (
            <li key={section.name}>
              <Link
                href={path('program', section.name)}
                aria-current={section.name === current ? 'page' : undefined}
              >
                <span>{t.sections[section.name]}</span>
                {state !== null && (
                  <span className={`dot ${state}`}>
                    <span className="unseen">{state === 'wrong' ? t.hasProblems : t.changed}</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
