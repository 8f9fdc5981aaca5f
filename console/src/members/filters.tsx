import { useState, type FormEvent } from 'react';
import { useFormat } from '../format.ts';
import { useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { countFilters, SORTS, STATES, type ListView, type ViewChange } from './list-view.ts';
import { useMemberTexts } from './texts.ts';

const ENDING_WITHIN = [7, 30, 90] as const;

/** One chip for each filter, and one for the order. A chip in color counts; its words say how. */
export function Filters({ view, onChange }: { view: ListView; onChange: (part: ViewChange) => void }) {
  const t = useMemberTexts();
  const shared = useTexts();
  const format = useFormat();
  const program = useProgram();
  const [open, setOpen] = useState<'points' | 'bought' | null>(null);
  const levels = program.data?.levels ?? [];
  const level = levels.find(({ id }) => id === view.level_id);
  const pick = (
    field: keyof ListView,
    label: string,
    value: string | number | null | undefined,
  ): MenuItem => ({
    label,
    current: view[field] === value,
    onPick: () => onChange({ [field]: value }),
  });

  return (
    <div className="chips filters">
      {(levels.length > 0 || view.level_id !== undefined) && (
        <ChoiceChip
          label={t.filters.tier}
          said={view.level_id === null ? t.filters.noTier : view.level_id && (level?.name ?? view.level_id)}
          items={[
            pick('level_id', t.filters.anyTier, undefined),
            ...levels.map(({ id, name }) => pick('level_id', name, id)),
            pick('level_id', t.filters.noTier, null),
          ]}
        />
      )}
      <ChoiceChip
        label={t.filters.state}
        said={view.state && shared.states[view.state]}
        items={[
          pick('state', t.filters.anyState, undefined),
          ...STATES.map((state) => pick('state', shared.states[state], state)),
        ]}
      />
      <ChoiceChip
        label={t.filters.ending}
        said={view.expiring_days && t.filters.endingWithin(view.expiring_days, format)}
        items={[
          pick('expiring_days', t.filters.anyEnding, undefined),
          ...ENDING_WITHIN.map((days) => pick('expiring_days', t.filters.endingWithin(days, format), days)),
        ]}
      />
      <RangeChip
        label={t.filters.points}
        said={t.filters.pointsRange(view.min_points, view.max_points, format)}
        onOpen={() => setOpen('points')}
      />
      <RangeChip
        label={t.filters.bought}
        said={t.filters.boughtRange(view.bought_from, view.bought_to, format)}
        onOpen={() => setOpen('bought')}
      />
      <Menu
        label={t.order}
        hasWords
        className="chip"
        items={SORTS.map((sort) => ({
          label: t.sorts[sort],
          current: (view.sort ?? 'newest') === sort,
          onPick: () => onChange({ sort }),
        }))}
      >
        <span className="unseen">{t.order}: </span>
        {t.sorts[view.sort ?? 'newest']}
        <Icon name="down" size={14} />
      </Menu>
      {countFilters(view) > 0 && (
        <button
          type="button"
          className="text-button"
          onClick={() =>
            onChange({
              state: undefined,
              level_id: undefined,
              min_points: undefined,
              max_points: undefined,
              bought_from: undefined,
              bought_to: undefined,
              expiring_days: undefined,
            })
          }
        >
          {t.clearFilters}
        </button>
      )}
      {open === 'points' && (
        <RangeDialog
          title={t.filters.points}
          labels={[t.filters.atLeast, t.filters.atMost]}
          values={[view.min_points, view.max_points]}
          input={{ inputMode: 'numeric', pattern: '-?[0-9]{1,15}' }}
          onClose={() => setOpen(null)}
          onApply={([min, max]) =>
            onChange({
              min_points: min === '' ? undefined : Number(min),
              max_points: max === '' ? undefined : Number(max),
            })
          }
        />
      )}
      {open === 'bought' && (
        <RangeDialog
          title={t.filters.bought}
          labels={[t.filters.from, t.filters.to]}
          values={[view.bought_from, view.bought_to]}
          input={{ type: 'date' }}
          onClose={() => setOpen(null)}
          onApply={([from, to]) => onChange({ bought_from: from || undefined, bought_to: to || undefined })}
        />
      )}
    </div>
  );
}

function ChoiceChip(props: {
  label: string;
  said: string | number | null | undefined;
  items: readonly MenuItem[];
}) {
  const isOn = props.said !== undefined && props.said !== null;
  return (
    <Menu label={props.label} hasWords className={isOn ? 'chip is-on' : 'chip'} items={props.items}>
      {isOn && <span className="unseen">{props.label}: </span>}
      {isOn ? props.said : props.label}
      <Icon name="down" size={14} />
    </Menu>
  );
}

function RangeChip({ label, said, onOpen }: { label: string; said: string | null; onOpen: () => void }) {
  return (
    <button
      type="button"
      className={said === null ? 'chip' : 'chip is-on'}
      aria-haspopup="dialog"
      onClick={onOpen}
    >
      {said !== null && <span className="unseen">{label}: </span>}
      {said ?? label}
      <Icon name="down" size={14} />
    </button>
  );
}

type Ends = readonly [from: string, to: string];

function RangeDialog(props: {
  title: string;
  labels: Ends;
  values: readonly [string | number | undefined, string | number | undefined];
  input: { type?: 'date'; inputMode?: 'numeric'; pattern?: string };
  onClose: () => void;
  onApply: (ends: Ends) => void;
}) {
  const t = useMemberTexts();
  const [ends, setEnds] = useState<Ends>([String(props.values[0] ?? ''), String(props.values[1] ?? '')]);
  const apply = (applied: Ends) => {
    props.onApply(applied);
    props.onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    apply([ends[0].trim(), ends[1].trim()]);
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form className="form" onSubmit={onSubmit}>
        <div className="pair">
          <Field
            autoFocus
            {...props.input}
            label={props.labels[0]}
            value={ends[0]}
            onChange={(event) => setEnds([event.currentTarget.value, ends[1]])}
          />
          <Field
            {...props.input}
            label={props.labels[1]}
            value={ends[1]}
            onChange={(event) => setEnds([ends[0], event.currentTarget.value])}
          />
        </div>
        <div className="dialog-acts">
          <Button onClick={() => apply(['', ''])}>{t.clearFilter}</Button>
          <Button look="main" type="submit">
            {t.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
