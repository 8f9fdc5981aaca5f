import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { amountOf, decimalsOf, writeMoney } from '../amount.ts';
import type { Draft } from './drafts.ts';
import { useLeftTexts } from './left-texts.ts';
import type { Till } from './use-till.ts';

/** Offers what was typed before the page was loaded again. Nothing goes into it until somebody asks for it. */
export default function LeftCard(props: { left: Draft; till: Till; onGoOn: (name: string) => void }) {
  const { left, till, onGoOn } = props;
  const t = useLeftTexts();
  const format = useFormat();
  const { shop } = usePlace();
  const program = useProgram();
  const paid = amountOf(left.amount, decimalsOf(shop.currency));
  // The limit is on its way: what it refuses must not be offered, not even for a moment.
  if (program.isLoading) return null;
  const most = program.data?.max_amount ?? Infinity;
  // It would be refused again.
  if (typeof paid === 'string' || paid.units > most) return null;
  return (
    <section className="card inside left-card">
      <div className="words">
        <b>{t.unfinished(left.name)}</b>
        <span className="small">{t.unfinishedText(writeMoney(left.amount, format, shop.currency))}</span>
      </div>
      <Button
        onClick={() => {
          onGoOn(left.name);
          till.goOn();
        }}
      >
        {t.unfinishedGoOn}
      </Button>
      <TextButton onClick={till.dropLeft}>{t.unfinishedDrop}</TextButton>
    </section>
  );
}
