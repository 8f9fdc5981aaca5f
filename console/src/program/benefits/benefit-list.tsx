import type { BenefitReportLine, ProgramBenefit } from '@loyalty/sdk/admin';
import { useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useFormat } from '../../format.ts';
import { useKeptPlace } from '../../members/kept-place.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Drawn, Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Empty } from '../../ui/states.tsx';
import { anchorOf, ProblemAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { BenefitThumb } from './benefit-thumb.tsx';
import { useBenefitTexts } from './texts.ts';
import { useBenefits, useYearOfBenefits } from './use-benefits.ts';
import { useReorder } from './use-reorder.ts';

/** Two columns of dots. */
const HANDLE =
  'M8 5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M8 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M8 19a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M14 5a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M14 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M14 19a1 1 0 1 0 2 0a1 1 0 1 0 -2 0';

/** The catalog in its order, then what rewards and tiers give. */
export function BenefitList() {
  const shared = useProgramTexts();
  const t = useBenefitTexts();
  const { benefits } = useBenefits();
  const [isAdding, setAdding] = useState(false);
  useKeptPlace(true);
  const forSale = benefits.filter((one) => one.benefit_type === 'normal');
  const given = benefits.filter((one) => one.benefit_type !== 'normal');
  const addButton = (
    <Button onClick={() => setAdding(true)}>
      <Icon name="plus" size={18} />
      {t.add}
    </Button>
  );
  return (
    <div className="stack">
      <SectionHead title={shared.sections.benefits} act={benefits.length > 0 && addButton}>
        {t.lead}
      </SectionHead>
      {benefits.length === 0 && (
        <section className="card">
          <Empty title={t.none} act={addButton}>
            {t.noneText}
          </Empty>
        </section>
      )}
      {forSale.length > 0 && <Group title={t.forSale} benefits={forSale} />}
      {given.length > 0 && <Group title={t.given} benefits={given} isGiven />}
      <ProblemAt path="benefits" />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function Group(props: { title: string; benefits: readonly ProgramBenefit[]; isGiven?: boolean }) {
  const { title, benefits, isGiven = false } = props;
  const t = useBenefitTexts();
  const id = useId();
  const year = useYearOfBenefits();
  const { move } = useBenefits();
  const [said, setSaid] = useState('');
  const step = (benefit: ProgramBenefit, by: 1 | -1) => {
    const at = benefits.indexOf(benefit) + by;
    const other = benefits[at];
    if (other === undefined) return;
    move(benefit.id, other.id);
    setSaid(t.moved(benefit.title, at + 1, benefits.length));
  };
  return (
    <section className="stack" aria-labelledby={id}>
      <h2 id={id} className="group-title">
        {title}
      </h2>
      <p className="unseen" role="status">
        {said}
      </p>
      <ol className="benefits">
        {benefits.map((benefit, index) => (
          <Card
            key={benefit.id}
            {...{ benefit, index, step }}
            count={benefits.length}
            group={title}
            year={year.data?.get(benefit.id) ?? null}
          />
        ))}
      </ol>
      {year.data !== undefined && <p className="small">{isGiven ? t.givenInAYear : t.inAYear}</p>}
    </section>
  );
}

function Card(props: {
  benefit: ProgramBenefit;
  index: number;
  count: number;
  group: string;
  year: BenefitReportLine | null;
  step: (benefit: ProgramBenefit, by: 1 | -1) => void;
}) {
  const t = useBenefitTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { benefits, isNew, move, duplicate, withdraw, setOnSale } = useBenefits();
  const { benefit, index, year, step } = props;
  const { id, title, benefit_type: kind, on_sale: isOnSale } = benefit;
  const place = `benefits[${benefits.findIndex((one) => one.id === id)}]`;
  const [, go] = useLocation();
  const { card, handle, edge } = useReorder(id, props.group, move);
  const hint = useId();
  const page = path('program', 'benefits', encodeURIComponent(id));
  return (
    <li
      ref={card}
      id={anchorOf(place)}
      className={['card', 'benefit', edge && `drop-${edge}`, !isOnSale && 'is-off'].filter(Boolean).join(' ')}
    >
      <button
        ref={handle}
        type="button"
        className="round handle"
        aria-label={t.move(title)}
        aria-describedby={hint}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          step(benefit, event.key === 'ArrowUp' ? -1 : 1);
        }}
      >
        <Drawn path={HANDLE} />
      </button>
      <span id={hint} className="unseen">
        {t.moveHint}
      </span>
      <BenefitThumb benefit={benefit} />
      <span className="row-words">
        <Link className="row-link name" href={page}>
          {title}
        </Link>
        <span className="small">
          {kind === 'normal'
            ? typeof benefit.cost === 'number'
              ? t.cost(benefit.cost, f)
              : '…'
            : t.givenFor[kind]}
        </span>
        <ProblemAt path={place} below />
      </span>
      <span className="benefit-tags">
        {isNew(id) && <span className="tag ending">{t.isNew}</span>}
        {!isOnSale && <span className="tag">{t.off}</span>}
        {year?.left_in_stock === 0 && <span className="tag wrong">{t.soldOut}</span>}
      </span>
      <span className="small benefit-counts">
        {year !== null && (
          <>
            <span>{kind === 'normal' ? t.bought(year.total.bought, f) : t.issued(year.total.given, f)}</span>
            <span>{t.used(year.total.used, f)}</span>
            {year.left_in_stock !== null && <span>{t.left(year.left_in_stock, f)}</span>}
          </>
        )}
      </span>
      <Menu
        className="round"
        label={t.more(title)}
        items={[
          { label: t.edit, onPick: () => go(page) },
          ...(index > 0 ? [{ label: t.up, onPick: () => step(benefit, -1) }] : []),
          ...(index < props.count - 1 ? [{ label: t.down, onPick: () => step(benefit, 1) }] : []),
          { label: t.duplicate, onPick: () => duplicate(benefit) },
          { label: isOnSale ? t.takeOff : t.putOn, onPick: () => setOnSale(benefit, !isOnSale) },
          { label: t.withdraw, danger: true, onPick: () => withdraw(benefit) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const t = useBenefitTexts();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { add } = useBenefits();
  const [name, setName] = useState('');
  const id = useId();
  const title = name.trim();
  return (
    <Dialog title={t.newTitle} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (title === '') return;
          const made = add(title);
          onClose();
          go(path('program', 'benefits', made));
        }}
      >
        <div className="field">
          <label htmlFor={id}>{t.newName}</label>
          <input
            id={id}
            className="input"
            required
            maxLength={200}
            autoComplete="off"
            value={name}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <p id={`${id}-hint`} className="small">
            {t.newNameHint}
          </p>
        </div>
        <div className="dialog-acts">
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" type="submit">
            {t.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
