import type { Program } from '@loyalty/sdk/admin';
import { useFormat } from '../../format.ts';
import { useEditing } from '../editing.ts';
import { NumberAt, RadiosAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';

const MODES = ['none', 'rolling', 'accumulated'] as const;

/** When points end. */
export default function ExpiryPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program, base, change } = useEditing();
  const { mode, months } = program.points_expiration;
  const pick = (next: string) =>
    change('points_expiration', {
      mode: next,
      // What was typed stays, for those who only look at the other choice.
      months: next === 'none' ? months : (months ?? base.program.points_expiration.months ?? 12),
    });
  return (
    <div className="stack">
      <SectionHead title={shared.sections.expiry}>{t.expiryLead}</SectionHead>
      <section className="card inside form">
        <RadiosAt
          path="points_expiration.mode"
          label={t.expiryLabel}
          options={MODES.map((one) => [one, t.modes[one], t.modeHints[one]])}
          onPick={pick}
        />
        {mode !== 'none' && <NumberAt path="points_expiration.months" label={t.months} />}
        <p className="strip tint">
          <Example expiration={program.points_expiration} />
        </p>
        <p className="small">{t.expiryMove}</p>
      </section>
    </div>
  );
}

/** The rule in a sentence, for today. */
function Example({ expiration: { mode, months } }: { expiration: Program['points_expiration'] }) {
  const t = usePageTexts();
  const f = useFormat();
  if (mode === 'none' || typeof months !== 'number') return t.expiryNever;
  const now = new Date();
  const end = new Date(now);
  end.setUTCMonth(end.getUTCMonth() + months);
  // In a shorter month, its last day counts.
  if (end.getUTCDate() !== now.getUTCDate()) end.setUTCDate(0);
  const day = f.day(end.toISOString());
  return mode === 'rolling' ? t.expiryExample(f.day(now.toISOString()), day) : t.expiryAll(day);
}
