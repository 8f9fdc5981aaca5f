import { useId, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { ProblemAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { Cap, Excluded, Pending } from './further.tsx';
import { meetingsOf } from './overlap.ts';
import { RuleCard } from './rule-card.tsx';
import './rules.css';
import { useRuleTexts } from './texts.ts';
import { TryRules } from './try-rules.tsx';
import { RULES, useRules } from './use-rules.ts';

const NONE: readonly never[] = [];

/** What some purchases earn more, or less: a sentence for each rule, what earns nothing, the most, and when points can be spent. */
export default function RulesPage() {
  const shared = useProgramTexts();
  const t = useRuleTexts();
  const { rules, add } = useRules();
  const [isAdding, setAdding] = useState(false);
  const [isOpen, setOpen] = useState<ReadonlySet<string>>(new Set());
  const meetings = useMemo(() => meetingsOf(rules), [rules]);
  const openOne = (id: string, open: boolean) => setOpen((all) => withOne(all, id, open));
  const addButton = (
    <Button onClick={() => setAdding(true)}>
      <Icon name="plus" size={18} />
      {t.add}
    </Button>
  );
  return (
    <div className="with-side">
      <div className="stack">
        <SectionHead title={shared.sections.rules} act={rules.length > 0 && addButton}>
          {t.lead}
        </SectionHead>
        {rules.length === 0 ? (
          <section className="card">
            <Empty title={t.none} act={addButton}>
              {t.noneText}
            </Empty>
          </section>
        ) : (
          <>
            <ul className="stack">
              {rules.map((rule, index) => (
                <RuleCard
                  key={rule.id}
                  {...{ rule, index }}
                  meets={meetings.get(rule.id) ?? NONE}
                  isOpen={isOpen.has(rule.id)}
                  onOpen={(open) => openOne(rule.id, open)}
                />
              ))}
            </ul>
            <p className="small">{t.combine}</p>
          </>
        )}
        <ProblemAt path={RULES} />
      </div>
      <TryRules />
      <div className="stack">
        <Excluded />
        <Cap />
        <Pending />
      </div>
      {isAdding && (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdd={(title) => {
            openOne(add(title), true);
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

function withOne(all: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  return new Set(isIn ? [...all, id] : [...all].filter((one) => one !== id));
}

function AddDialog({ onClose, onAdd }: { onClose: () => void; onAdd: (title: string) => void }) {
  const t = useRuleTexts();
  const [title, setTitle] = useState('');
  const form = useId();
  return (
    <Dialog title={t.newTitle} onClose={onClose}>
      <form
        id={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') onAdd(title.trim());
        }}
      >
        <Field
          label={t.newName}
          hint={t.newNameHint}
          required
          maxLength={100}
          autoComplete="off"
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
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
