import { useId } from 'react';
import { useFormat } from '../../format.ts';
import { Button, TextButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, ChoiceAt, NumberAt, ProblemAt, TextAt } from '../parts.tsx';
import { ConditionsForm } from '../rules/conditions-form.tsx';
import { CARD_CONDITIONS } from '../rules/conditions.ts';
import { SentenceLine } from '../rules/sentence-line.tsx';
import { useRuleTexts } from '../rules/texts.ts';
import { useProgramTexts } from '../texts.ts';
import { sayCard, type Card } from './sentence.ts';
import { useStampTexts } from './texts.ts';
import { STAMPS, useStamps } from './use-stamps.ts';

/** A stamp card as a sentence, with one press to pause it. It opens into its form, also if something in it is wrong. */
export function StampCard(props: {
  card: Card;
  index: number;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}) {
  const { card, index, onOpen } = props;
  const t = useStampTexts();
  const rules = useRuleTexts();
  const f = useFormat();
  const { program, problemsIn } = useEditing();
  const { pause, end } = useStamps();
  const place = `${STAMPS}[${index}]`;
  const id = useId();
  const isWrong = problemsIn(place).length > 0;
  const isOpen = props.isOpen || isWrong;
  const act = card.paused ? rules.resume : rules.pause;
  return (
    <li
      className={card.paused ? 'card inside rule is-paused' : 'card inside rule'}
      id={anchorOf(place)}
      aria-labelledby={id}
    >
      <div className="row-head">
        <h2 id={id}>{card.title === '' ? '…' : card.title}</h2>
        {card.paused && <span className="tag ending">{rules.paused}</span>}
        <Button aria-label={`${act}: ${card.title}`} onClick={() => pause(card, !card.paused)}>
          {act}
        </Button>
        <Menu
          className="round"
          label={`${card.title}: ${rules.more}`}
          items={[{ label: t.end, danger: true, onPick: () => end(card) }]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      <SentenceLine pieces={sayCard(card, program, t.said, rules.said, f)} />
      {isOpen && <StampForm card={card} place={place} />}
      <ProblemAt path={place} />
      {!isWrong && (
        <p>
          <TextButton
            aria-expanded={isOpen}
            aria-label={`${isOpen ? rules.close : rules.change}: ${card.title}`}
            onClick={() => onOpen(!isOpen)}
          >
            {isOpen ? rules.close : rules.change}
          </TextButton>
        </p>
      )}
    </li>
  );
}

/** What stamps the card, how many stamps it takes, and what a full one gives. */
function StampForm({ card, place }: { card: Card; place: string }) {
  const shared = useProgramTexts();
  const t = useStampTexts();
  const { gifts } = useStamps();
  const label = (field: string) => ({
    path: `${place}.${field}`,
    label: shared.labels[`stamps[].${field}`]!,
  });
  const chosen = card.then.benefit;
  const isGone = !gifts.some(({ id }) => id === chosen);
  return (
    <div className="form rule-form">
      <TextAt {...label('title')} autoComplete="off" />
      <div className="field-pair">
        <NumberAt {...label('need')} hint={t.needHint} />
        <ChoiceAt
          {...label('then.benefit')}
          hint={t.giftHint}
          options={[
            ...(isGone ? [[chosen, t.nameOfGift(chosen)] as const] : []),
            ...gifts.map(({ id, title }) => [id, title] as const),
          ]}
        />
        <ChoiceAt
          {...label('per')}
          options={(['purchase', 'unit'] as const).map((one) => [one, shared.stampedPer[one]])}
        />
        <NumberAt {...label('min_minutes_between')} after={t.minutes} hint={t.pauseHint} />
        <NumberAt {...label('within_months')} after={t.months} hint={t.monthsHint} />
      </div>
      <ConditionsForm of={card} place={place} kinds={CARD_CONDITIONS} />
    </div>
  );
}
