import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pageNamed } from '../frame/pages.ts';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { useHomeTexts } from './texts.ts';

const STEPS = ['till', 'program', 'poster', 'team'];

/** A shop where nothing has happened: what to do first, as far as the person may. */
export function FirstSteps({ attention }: { attention: ReactNode }) {
  const t = useHomeTexts();
  const { path, may } = usePlace();
  const pages = STEPS.flatMap((name) => {
    const page = pageNamed(name);
    return page !== undefined && may(page.role) ? [page] : [];
  });
  return (
    <div className="stack">
      <section className="card inside stack" aria-labelledby="first-steps">
        <div>
          <h2 id="first-steps">{t.newTitle}</h2>
          <p className="small">{t.newText}</p>
        </div>
        <ol>
          {pages.map((page) => {
            const [title, text] = t.steps[page.name]!;
            return (
              <li key={page.name} className="row step-row">
                <span className="badge">
                  <Icon name={page.icon} />
                </span>
                <span className="row-words">
                  <Link className="step-link" href={path(page.name)}>
                    {title}
                  </Link>
                  <span className="small">{text}</span>
                </span>
                <Icon name="arrow" size={18} />
              </li>
            );
          })}
        </ol>
      </section>
      {attention}
    </div>
  );
}
