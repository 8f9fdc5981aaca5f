import type { WhatIfPublishing } from '@loyalty/sdk/admin';
import { useFormat } from '../../format.ts';
import { useEditing } from '../editing.ts';
import { useReviewTexts } from './texts.ts';

/** The immediate effect of publishing on people. */
export function AtOnce({ publishing }: { publishing: WhatIfPublishing }) {
  const t = useReviewTexts();
  return (
    <section className="card inside" aria-labelledby="at-once">
      <h2 id="at-once">{t.atOnce}</h2>
      <AtOnceLines publishing={publishing} />
    </section>
  );
}

export function AtOnceLines({ publishing }: { publishing: WhatIfPublishing }) {
  const t = useReviewTexts();
  const f = useFormat();
  const { program, base } = useEditing();
  const { moves, benefits, redated } = publishing;
  const nameOf = (id: string | null) =>
    id === null
      ? t.noTier
      : ([...program.levels.ladder, ...base.program.levels.ladder].find((tier) => tier.id === id)?.name ??
        id);
  const lines = [
    ...moves.map(({ from, to, members }) => t.moves(members, nameOf(from), nameOf(to), f)),
    ...(benefits > 0 ? [t.gifts(benefits, f)] : []),
    ...(redated.points > 0 ? [t.redated(redated.points, redated.members, f)] : []),
  ];
  if (lines.length === 0) return <p className="small">{t.nobodyMoves}</p>;
  return (
    <ul className="at-once">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
