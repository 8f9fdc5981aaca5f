import { useEditing } from '../editing.ts';
import { NumberAt, RadiosAt, SwitchAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';
import { TryPurchase } from './try-purchase.tsx';
import { useCurrencySymbol } from './currency-symbol.ts';

/** The price of a point, and the limits that protect the shop from mistakes. */
export default function EarningPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  return (
    <div className="with-side">
      <div className="stack">
        <SectionHead title={shared.sections.earning}>{t.earningLead}</SectionHead>
        <section className="card inside form">
          <NumberAt
            path="earning.money_per_point"
            label={shared.labels['earning.money_per_point']!}
            hint={t.moneyHint}
            before={symbol}
            look="figure"
          />
          <SwitchAt
            path="earning.carry_remainder"
            label={shared.labels['earning.carry_remainder']!}
            hint={t.carryHint}
          />
        </section>
      </div>
      <TryPurchase />
      <div className="stack">
        <section className="card inside form">
          <h2>{t.returns}</h2>
          <RadiosAt
            path="earning.returns"
            label={t.returnsLabel}
            options={(['negative', 'clamp', 'refuse'] as const).map((one) => [
              one,
              shared.returns[one],
              t.returnsHints[one],
            ])}
          />
        </section>
        <section className="card inside form">
          <h2>{t.codes}</h2>
          <NumberAt
            path="codes.hold_minutes"
            label={shared.labels['codes.hold_minutes']!}
            hint={t.holdHint}
            after={t.minutes}
          />
          <NumberAt
            path="codes.undo_days"
            label={shared.labels['codes.undo_days']!}
            hint={t.undoHint}
            after={t.days}
          />
          <RadiosAt
            path="codes.with_return"
            label={shared.labels['codes.with_return']!}
            options={(['keep', 'restore'] as const).map((one) => [
              one,
              shared.withReturn[one],
              t.withReturnHints[one],
            ])}
          />
        </section>
        <section className="card inside form">
          <h2>{t.limits}</h2>
          <NumberAt
            path="earning.max_amount"
            label={shared.labels['earning.max_amount']!}
            hint={t.maxHint}
            before={symbol}
          />
          <NumberAt
            path="codes.max_unused"
            label={shared.labels['codes.max_unused']!}
            hint={t.maxUnusedHint}
          />
          <NumberAt path="step_up_points" label={shared.labels['step_up_points']!} hint={t.stepUpHint} />
        </section>
      </div>
    </div>
  );
}
