import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pageNamed } from '../frame/pages.ts';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { follow, followedAt } from './followed-steps.ts';
import { useHomeTexts } from './texts.ts';

const STEPS = ['till', 'program', 'poster', 'team'];

/** A shop where nothing has happened: what to do first, as far as the person may. */
export function FirstSteps({ attention }: { attention: ReactNode }) {
  const t = useHomeTexts();
  return (
    <div className="stack">
      <Steps title={t.newTitle} text={t.newText} steps={STEPS} />
      {attention}
    </div>
  );
}

/** After the first purchase: the steps that nobody has followed in this browser. Without any left there is no card. */
export function RemainingSteps() {
  const t = useHomeTexts();
  const { shop } = usePlace();
  const followed = useStore(followedAt(shop.id));
  const steps = STEPS.filter((name) => name !== 'till' && !followed.includes(name));
  return <Steps title={t.leftTitle} text={t.leftText} steps={steps} />;
}

function Steps({ title, text, steps }: { title: string; text: string; steps: readonly string[] }) {
  const t = useHomeTexts();
  const { shop, path, may } = usePlace();
  const pages = steps.flatMap((name) => {
    const page = pageNamed(name);
    return page !== undefined && may(page.role) ? [page] : [];
  });
  if (pages.length === 0) return null;
  return (
    <section className="card inside stack" aria-labelledby="first-steps">
      <div>
        <h2 id="first-steps">{title}</h2>
        <p className="small">{text}</p>
      </div>
      <ol>
        {pages.map((page) => {
          const [name, about] = t.steps[page.name]!;
          return (
            <li key={page.name} className="row step-row">
              <span className="badge">
                <Icon name={page.icon} />
              </span>
              <span className="row-words">
                <Link className="step-link" href={path(page.name)} onClick={() => follow(shop.id, page.name)}>
                  {name}
                </Link>
                <span className="small">{about}</span>
              </span>
              <Icon name="arrow" size={18} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
