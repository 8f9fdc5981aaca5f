import type { SetUp, SetUpStep } from '@loyalty/sdk/admin';
import { useContext, useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { LocaleContext } from '../language.ts';
import { Icon } from '../ui/icon.tsx';
import { Sayings } from '../ui/say.tsx';
import { useLiveColors } from './live-colors.ts';
import { Phone, type Shown } from './phone.tsx';
import { pathOf, STEPS } from './set-up-state.ts';
import { useSetUpTexts } from './texts.ts';

/** A step: where one is, one question, and beside it what members will see. */
export function Shell(props: { setUp: SetUp | null; step: SetUpStep | 'you' | null; children: ReactNode }) {
  const { setUp, step } = props;
  const locale = useContext(LocaleContext);
  useLiveColors(setUp?.answers.color ?? '#0f5c6e');
  return (
    <div className="set-up">
      <main className="set-up-form">
        {step !== null && <Steps setUp={setUp} step={step} />}
        {props.children}
      </main>
      <Phone setUp={setUp ?? nothingIn(locale)} />
      <Sayings />
    </div>
  );
}

/** Nothing is known yet but the language of the browser. */
const nothingIn = (locale: string): Shown => ({
  answers: { locale, currency: null, name: null, benefit: null },
  examples: [],
  benefits: [],
});

/** The steps so far lead back. Those to come are only named. */
function Steps({ setUp, step }: { setUp: SetUp | null; step: SetUpStep | 'you' }) {
  const t = useSetUpTexts();
  const all = ['you', ...STEPS] as const;
  const at = all.indexOf(step);
  const reached = Math.max(at, all.indexOf(setUp?.answers.step ?? 'you'));
  return (
    <nav className="steps" aria-label={t.steps}>
      <p className="label">{t.stepOf(at + 1, all.length)}</p>
      <ol>
        {all.map((one, i) => (
          <li key={one} className={i < at ? 'past' : i === at ? 'now' : undefined}>
            {one !== 'you' && i !== at && i <= reached ? (
              <Link href={pathOf(one)}>{t.stepNames[one]}</Link>
            ) : (
              <span aria-current={i === at ? 'step' : undefined}>{t.stepNames[one]}</span>
            )}
            {i < at && (
              <>
                <Icon name="check" size={14} />
                <span className="unseen">{t.done}</span>
              </>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The question of a step. It takes the focus, so that the step is read out; a field of the step takes it from there. */
export function Question({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
