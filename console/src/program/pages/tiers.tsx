import type { ProgramTier } from '@loyalty/sdk/admin';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/say.tsx';
import { Empty } from '../../ui/states.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, ChoiceAt, NumberAt, ProblemAt, RadiosAt, TextAt } from '../parts.tsx';
import { PictureAt } from '../picture-at.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { useCurrencySymbol } from './currency-symbol.ts';
import { usePageTexts } from './texts.ts';

const LADDER = 'levels.ladder';

/** The ladder that regulars climb. */
export default function TiersPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program, change } = useEditing();
  const { ladder } = program.levels;
  const add = () => {
    const top = ladder.at(-1);
    change(`${LADDER}[${ladder.length}]`, {
      id: null,
      name: t.newTier(ladder.length + 1),
      threshold: top === undefined ? 0 : top.threshold * 2 || 500,
      points_multiplier: top?.points_multiplier ?? 1,
      icon_url: null,
      benefit: null,
    } satisfies ProgramTier);
  };
  const addButton = (
    <Button onClick={add}>
      <Icon name="plus" size={18} />
      {t.addTier}
    </Button>
  );
  return (
    <div className="stack">
      <SectionHead title={shared.sections.tiers} act={ladder.length > 0 && addButton}>
        {t.tiersLead}
      </SectionHead>
      {ladder.length === 0 ? (
        <section className="card">
          <Empty title={t.tiersNone} act={addButton}>
            {t.tiersNoneText}
          </Empty>
        </section>
      ) : (
        <>
          <ol className="stack ladder">
            {ladder.map((tier, index) => (
              <Tier key={tier.id ?? index} index={index} tier={tier} />
            ))}
          </ol>
          <section className="card inside form">
            <h2>{t.how}</h2>
            <RadiosAt
              path="levels.threshold_type"
              label={t.thresholdLabel}
              options={(['points', 'amount'] as const).map((one) => [one, shared.thresholdTypes[one]])}
            />
            <NumberAt path="levels.valid_months" label={t.keep} hint={t.keepHint} />
          </section>
        </>
      )}
    </div>
  );
}

function Tier({ index, tier }: { index: number; tier: ProgramTier }) {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  const byAmount = program.levels.threshold_type === 'amount';
  const place = `${LADDER}[${index}]`;
  const gifts = program.benefits.filter((benefit) => benefit.benefit_type === 'level');
  const named = tier.benefit !== null && !gifts.some(({ id }) => id === tier.benefit) ? [tier.benefit] : [];
  return (
    <li className="card inside form" id={anchorOf(place)}>
      <div className="row-head">
        {tier.icon_url !== null && (
          <img className="tier-icon" src={tier.icon_url} alt="" referrerPolicy="no-referrer" />
        )}
        <h2>{t.tier(index + 1, tier.name)}</h2>
        <TierMenu index={index} tier={tier} />
      </div>
      <div className="field-pair">
        <TextAt path={`${place}.name`} label={shared.labels['levels.ladder[].name']!} autoComplete="off" />
        <NumberAt
          path={`${place}.threshold`}
          label={byAmount ? t.thresholdAmount : t.thresholdPoints}
          {...(byAmount && { before: symbol })}
          {...(tier.threshold === 0 && { hint: t.tierFirst })}
        />
        <NumberAt path={`${place}.points_multiplier`} label={t.multiplier} before="×" />
        <ChoiceAt
          path={`${place}.benefit`}
          label={t.gift}
          options={[
            ['', t.noGift],
            ...gifts.map(({ id, title }) => [id, title] as const),
            ...named.map((id) => [id, id] as const),
          ]}
        />
        <div className="tier-picture">
          <PictureAt
            path={`${place}.icon_url`}
            label={shared.labels['levels.ladder[].icon_url']!}
            hint={t.optionalHint}
          />
        </div>
      </div>
      <ProblemAt path={place} />
    </li>
  );
}

function TierMenu({ index, tier }: { index: number; tier: ProgramTier }) {
  const t = usePageTexts();
  const { program, change, undoably } = useEditing();
  const { ladder } = program.levels;
  // The thresholds stay where they are: they must rise.
  const swap = (other: number) => {
    const [one, two] = [ladder[index]!, ladder[other]!];
    change(
      LADDER,
      ladder
        .with(index, { ...two, threshold: one.threshold })
        .with(other, { ...one, threshold: two.threshold }),
    );
  };
  const remove = () => {
    const run = undoably(() => change(`${LADDER}[${index}]`, undefined));
    say(t.tierRemoved(tier.name), { undo: { label: t.undo, run } });
  };
  return (
    <Menu
      className="round"
      label={`${t.tier(index + 1, tier.name)}: ${t.more}`}
      items={[
        ...(index > 0 ? [{ label: t.up, onPick: () => swap(index - 1) }] : []),
        ...(index < ladder.length - 1 ? [{ label: t.down, onPick: () => swap(index + 1) }] : []),
        { label: t.removeTier, danger: true, onPick: remove },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
