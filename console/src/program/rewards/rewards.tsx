import { useId } from 'react';
import { Link } from 'wouter';
import { usePlace } from '../../session.ts';
import { useEditing } from '../editing.ts';
import { anchorOf, ChoiceAt, NumberAt, ProblemAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { useRewardTexts } from './texts.ts';

const REWARDS = ['welcome', 'birthday', 'monthly_top'] as const;
type Kind = (typeof REWARDS)[number];

/** The rewards that the program gives by itself: for joining, on a birthday, and to the best buyer of a month. */
export default function RewardsPage() {
  const shared = useProgramTexts();
  const t = useRewardTexts();
  return (
    <div className="stack">
      <SectionHead title={shared.sections.rewards}>{t.lead}</SectionHead>
      {REWARDS.map((kind) => (
        <Reward key={kind} kind={kind} />
      ))}
      <p className="small">{t.begins}</p>
    </div>
  );
}

function Reward({ kind }: { kind: Kind }) {
  const shared = useProgramTexts();
  const t = useRewardTexts();
  const { path } = usePlace();
  const { program, base, change } = useEditing();
  const id = useId();
  const place = `rewards.${kind}`;
  const reward = program.rewards[kind];
  const gifts = program.benefits.filter((benefit) => benefit.benefit_type === kind);
  const given = reward === null ? 'none' : reward.points !== null ? 'points' : 'benefit';
  const give = (next: typeof given) => {
    if (next === 'none') return change(place, null);
    const before = base.program.rewards[kind];
    return change(place, {
      ...(kind === 'monthly_top' && { settle_days: program.rewards.monthly_top?.settle_days ?? 3 }),
      points: next === 'points' ? (before?.points ?? 100) : null,
      benefit: next === 'benefit' ? (before?.benefit ?? gifts[0]?.id ?? '') : null,
    });
  };
  const isUnknown =
    reward !== null && reward.benefit !== null && !gifts.some((one) => one.id === reward.benefit);
  return (
    <section className="card inside form" id={anchorOf(place)} aria-labelledby={`${id}-title`}>
      <div>
        <h2 id={`${id}-title`}>{shared.labels[place]}</h2>
        <p className="small">{t.hints[kind]}</p>
      </div>
      <div className="field-pair">
        <div className="field">
          <label htmlFor={id}>{t.gives}</label>
          <select
            id={id}
            className="input"
            value={given}
            onChange={(event) => give(event.currentTarget.value as typeof given)}
          >
            {(['none', 'points', 'benefit'] as const).map((one) => (
              <option key={one} value={one}>
                {t.kinds[one]}
              </option>
            ))}
          </select>
        </div>
        {given === 'points' && <NumberAt path={`${place}.points`} label={t.points} />}
        {given === 'benefit' && gifts.length > 0 && (
          <ChoiceAt
            path={`${place}.benefit`}
            label={t.benefit}
            options={[
              ...(isUnknown ? [[reward.benefit ?? '', t.pick] as const] : []),
              ...gifts.map((one) => [one.id, one.title] as const),
            ]}
          />
        )}
        {kind === 'monthly_top' && reward !== null && (
          <NumberAt path={`${place}.settle_days`} label={t.settle} hint={t.settleHint} />
        )}
      </div>
      {given === 'benefit' && gifts.length === 0 && (
        <p>
          {t.noBenefit} <Link href={path('program', 'benefits')}>{t.toBenefits}</Link>
        </p>
      )}
      <ProblemAt path={place} />
    </section>
  );
}
