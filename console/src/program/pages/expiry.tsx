import type { Program } from '@loyalty/sdk/admin';
import { useFormat } from '../../format.ts';
import { useEditing } from '../editing.ts';
import { NumberAt, RadiosAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';
import { useTried } from './use-tried.ts';

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
      // The typed number stays for those who only look at the other choice.
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
          <Example program={program} />
        </p>
        <p className="small">{t.expiryMove}</p>
      </section>
    </div>
  );
}

/** The rule in a sentence, for a purchase of now. */
function Example({ program }: { program: Program }) {
  const t = usePageTexts();
  const f = useFormat();
  const tried = useTried(program, { amount: 1 });
  if (tried.data === undefined) return '\u00A0';
  const { expires_on: end } = tried.data;
  if (end === null) return t.expiryNever;
  return program.points_expiration.mode === 'rolling' ? t.expiryExample(f.day(end)) : t.expiryAll(f.day(end));
}
