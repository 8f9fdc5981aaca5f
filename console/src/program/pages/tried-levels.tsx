import type { Factor, TriedPurchase } from '@loyalty/sdk/admin';
import { useFormat } from '../../format.ts';
import { TextButton } from '../../ui/button.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';
import type { useTried } from './use-tried.ts';

type Levels = TriedPurchase['levels'];

/** The points of a purchase on each tier, with the arithmetic. What it earns in force stands beside, where that is something else. */
export function TriedLevels(props: {
  tried: Pick<ReturnType<typeof useTried>, 'data' | 'error' | 'isError' | 'refetch'>;
  before: Levels | undefined;
}) {
  const t = usePageTexts();
  const { shared } = useProgramTexts();
  const { tried, before } = props;
  if (tried.isError)
    return (
      <p className="small">
        {t.tryFailed} {sayProblem(tried.error, shared)}{' '}
        <TextButton onClick={() => void tried.refetch()}>{shared.retry}</TextButton>
      </p>
    );
  if (tried.data === undefined) return <p className="small">{t.tryWaiting}</p>;
  const { levels } = tried.data;
  return (
    <ul className="tried">
      {levels.map((line, at) => (
        <li key={line.name ?? ''}>
          <span className="row-words">
            <span className="name">{line.name ?? t.tryBase}</span>
            <span className="small">{tellFactors(line.factors)}</span>
          </span>
          <Points points={line.points} before={before?.[at]?.points ?? null} />
        </li>
      ))}
    </ul>
  );
}

function Points({ points, before }: { points: number | null; before: number | null }) {
  const t = usePageTexts();
  const f = useFormat();
  return (
    <span className="tried-points">
      {before !== null && before !== points && (
        <s>
          <span className="unseen">{t.tryBefore} </span>
          {f.number(before)}
        </s>
      )}{' '}
      <b className="gain">{points === null ? '…' : f.number(points)}</b>
    </span>
  );
}

/** `17 ÷ 2 × 1.5 Captain`: the tier's name stands above already. */
const tellFactors = (factors: readonly Factor[]): string => factors.map(({ formula }) => formula).join(' ');
