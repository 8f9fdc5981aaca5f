import type { SetUp } from '@loyalty/sdk/admin';
import { useMemo } from 'react';
import { createFormat, firstLetter } from '../format.ts';
import { languageOf } from '../language.ts';
import { Drawn } from '../ui/icon.tsx';

/** The parts of the set-up that the picture shows. */
export interface Shown extends Pick<SetUp, 'examples' | 'benefits'> {
  readonly answers: Pick<SetUp['answers'], 'locale' | 'currency' | 'name' | 'benefit'>;
}

/** A picture of what members will see, which grows with the answers. It says nothing that the form does not say. */
export function Phone({ setUp: { answers, examples, benefits } }: { setUp: Shown }) {
  const locale = answers.locale ?? 'en';
  const format = useMemo(
    () => createFormat(locale, 'UTC', answers.currency ?? 'EUR'),
    [locale, answers.currency],
  );
  const words = WORDS[languageOf(locale)];
  const usual = examples[1] ?? examples[0];
  const benefit = benefits.find(({ kind }) => kind === answers.benefit);
  const name = answers.name?.trim() ?? '';
  return (
    <div className="phone-side" aria-hidden="true">
      <div className="phone" lang={languageOf(locale)}>
        <div className="phone-ground">
          <p className="phone-shop">
            <span className="phone-logo">{firstLetter(name) || '◆'}</span>
            <span className="phone-name">{name || words.name}</span>
          </p>
          <p className="phone-promise">{words.promise}</p>
        </div>
        <div className="phone-card first">
          {usual === undefined ? (
            <>
              <span className="bone" />
              <span className="bone" />
            </>
          ) : (
            <>
              <p className="small">{words.purchase(format.money(usual.amount))}</p>
              <p className="phone-gain">+{format.number(usual.points)}</p>
              <p className="small">{words.points}</p>
            </>
          )}
        </div>
        {benefit === undefined ? (
          <div className="phone-card ghost" />
        ) : (
          <div className="phone-card phone-benefit">
            <span className="phone-picture">
              <Drawn path={PICTURES[benefit.kind]} size={24} />
            </span>
            <span className="row-words">
              <b>{benefit.title}</b>
              <span className="small">{words.cost(format.number(benefit.cost))}</span>
            </span>
          </div>
        )}
        <p className="phone-join">{words.join}</p>
      </div>
    </div>
  );
}

/** From Lucide, as in `ui/icon.tsx`. */
const PICTURES = {
  product:
    'M10 2v2M14 2v2M16 8a1 1 0 0 1 1 1v8a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4V9a1 1 0 0 1 1-1h14a4 4 0 1 1 0 8h-1M6 2v2',
  percentage:
    'M19 5 5 19M4 6.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0M15 17.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0',
  amount:
    'M12 7v14M20 11v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8M7.5 7a1 1 0 0 1 0-5A4.8 8 0 0 1 12 7a4.8 8 0 0 1 4.5-5 1 1 0 0 1 0 5M4 7h16a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z',
} as const;

/** Texts for members are in their language, not in that of the person who sets the shop up. */
const WORDS = {
  en: {
    name: 'Your shop',
    promise: 'Every purchase earns points',
    purchase: (amount: string) => `A purchase of ${amount}`,
    points: 'points',
    cost: (points: string) => `${points} points`,
    join: 'Join the club',
  },
  es: {
    name: 'Tu tienda',
    promise: 'Cada compra suma puntos',
    purchase: (amount: string) => `Una compra de ${amount}`,
    points: 'puntos',
    cost: (points: string) => `${points} puntos`,
    join: 'Unirse al club',
  },
};
