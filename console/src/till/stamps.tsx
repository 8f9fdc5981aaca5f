import type { TillMember } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { useStampTexts } from './stamps-texts.ts';
import './stamps.css';

/** The stamp cards of the customer: what is on them, and how much is missing to what. */
export default function Stamps({ cards }: { cards: TillMember['stamps'] }) {
  const t = useStampTexts();
  const f = useFormat();
  return (
    <ul className="till-stamps" aria-label={t.cards}>
      {cards.map(({ id, title, have, need, gives }) => (
        <li key={id}>
          <span className="small">{title}</span>
          <span className="dots" role="img" aria-label={t.of(f.number(have), f.number(need))}>
            {Array.from({ length: need }, (_, place) => (
              <i key={place} className={place < have ? 'is-on' : undefined} />
            ))}
          </span>
          <b>{t.missing(need - have, gives, f)}</b>
        </li>
      ))}
    </ul>
  );
}
