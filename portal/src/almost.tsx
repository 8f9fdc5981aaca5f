import { Missing, titleOf } from './benefit-card.tsx';
import { byCost } from './benefits.tsx';
import { useClub } from './club.ts';
import { Picture } from './ui/picture.tsx';
import type { MyClub } from './use-my-club.ts';

/** The next benefits that the member is saving for, the nearest first. Shows nothing if all can be had. */
export function Almost({ myClub: { me, available } }: { myClub: MyClub }) {
  const { t } = useClub();
  const almost = byCost(available)
    .filter(({ cost }) => cost > me.points)
    .slice(0, 3);
  if (almost.length === 0) return null;
  return (
    <section>
      <h2>{t.almost}</h2>
      <ul class="card list">
        {almost.map((benefit) => (
          <AlmostRow key={benefit.id} benefit={benefit} points={me.points} />
        ))}
      </ul>
    </section>
  );
}

function AlmostRow({ benefit, points }: { benefit: MyClub['available'][number]; points: number }) {
  const { shopLocale } = useClub();
  return (
    <li class="row">
      <span class="thumb">
        <Picture benefit={benefit} />
      </span>
      <div class="row-words">
        <h3 lang={shopLocale}>{titleOf(benefit)}</h3>
        <Missing cost={benefit.cost} points={points} />
      </div>
    </li>
  );
}
