import type { SetUp } from '@loyalty/sdk/admin';
import { useMemo } from 'react';
import { createFormat, firstLetter } from '../format.ts';
import { languageOf } from '../language.ts';

/** A picture of what members will see, which grows with the answers. It says nothing that the form does not say. */
export function Phone({ setUp: { answers, examples, benefits } }: { setUp: SetUp }) {
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
            <span className="clip">{name || words.name}</span>
          </p>
          <p className="phone-promise">{words.promise}</p>
        </div>
        <div className="phone-card first">
          {usual !== undefined && (
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
          <div className="phone-card benefit">
            <span className="phone-picture">{PICTURES[benefit.kind]}</span>
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

const PICTURES = { product: '☕', percentage: '%', amount: '★' } as const;

/** What members read is in their language, not in that of the person who sets the shop up. */
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
