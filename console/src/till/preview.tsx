import type { Factor } from '@loyalty/sdk/admin';
import { ApiError } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { useStore } from '../store.ts';
import { Drawn } from '../ui/icon.tsx';
import type { Draft } from './drafts.ts';
import { linesOf } from './sold-lines.ts';
import { SPARKLES } from './icons.ts';
import { placeOf, registerAt } from './register.ts';
import { useRefusal } from './refusal.ts';
import { useTillTexts } from './texts.ts';
import { useDebounced } from '../ui/use-debounced.ts';

/** Shows the points that the purchase would earn, with their arithmetic, by the rule that records it. Nothing waits for it. */
export function Preview({
  draft: { buyer, sold },
  amount,
  waits,
}: {
  draft: Draft;
  amount: number | null;
  waits: boolean;
}) {
  const t = useTillTexts();
  const format = useFormat();
  const refusalOf = useRefusal();
  const { api, shop } = usePlace();
  const register = useStore(registerAt(shop.id));
  const program = useProgram();
  const calm = useDebounced(amount, 120);
  const preview = useQuery({
    queryKey: [shop.id, 'preview', buyer, calm, register, sold],
    queryFn: ({ signal }) =>
      api.previewPurchase(
        { ...buyer, amount: calm!, lines: linesOf(sold, calm!), ...placeOf(register) },
        { signal, attempts: 1, timeoutMs: 4_000 },
      ),
    enabled: calm !== null,
  });

  if (amount === null || amount !== calm) {
    const isDouble = program.data?.double_points.some(({ is_open: isOpen }) => isOpen) === true;
    return (
      <span className="small">{amount !== null ? t.previewing : isDouble ? t.doubleNow : '\u00A0'}</span>
    );
  }
  if (preview.isError) {
    const isRefused =
      preview.error instanceof ApiError && preview.error.status < 500 && preview.error.status !== 429;
    return isRefused ? (
      <span className="wrong">{refusalOf(preview.error, amount)}</span>
    ) : (
      <span className="small">{t.previewFailed}</span>
    );
  }
  if (preview.data === undefined) return <span className="small">{t.previewing}</span>;
  const { points, factors } = preview.data;
  return (
    <>
      <span className="gain">
        <Drawn path={SPARKLES} size={18} />
      </span>
      <span>
        <b className="gain">
          {points === 0 ? t.earnsNothing : waits ? t.earnsWaiting(points, format) : t.earns(points, format)}
        </b>{' '}
        <Arithmetic factors={factors} />
      </span>
    </>
  );
}

/** `17 × 2 double points × 1.5 Captain`. The division is shown by its result, unless there is nothing else. */
function Arithmetic({ factors }: { factors: readonly Factor[] }) {
  const t = useTillTexts();
  const format = useFormat();
  const steps = factors.map(({ kind, formula, name, points }) => {
    if (kind === 'base') return factors.length === 1 ? formula : format.number(points);
    return `${formula} ${kind === 'double_points' ? t.doublePoints : (name ?? '')}`;
  });
  return <span className="small">{steps.join(' ')}</span>;
}
