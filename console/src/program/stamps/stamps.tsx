import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { ProblemAt } from '../parts.tsx';
import '../rules/rules.css';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { StampCard } from './stamp-card.tsx';
import { useStampTexts } from './texts.ts';
import { STAMPS, useStamps } from './use-stamps.ts';

/** The cards that purchases stamp, a sentence each. */
export default function StampsPage() {
  const shared = useProgramTexts();
  const t = useStampTexts();
  const { stamps, add } = useStamps();
  const [isAdding, setAdding] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const addButton = (
    <Button onClick={() => setAdding(true)}>
      <Icon name="plus" size={18} />
      {t.add}
    </Button>
  );
  return (
    <div className="stack">
      <SectionHead title={shared.sections.stamps} act={stamps.length > 0 && addButton}>
        {t.lead}
      </SectionHead>
      {stamps.length === 0 ? (
        <section className="card">
          <Empty title={t.none} act={addButton}>
            {t.noneText}
          </Empty>
        </section>
      ) : (
        <ul className="stack">
          {stamps.map((card, index) => (
            <StampCard
              key={card.id}
              {...{ card, index }}
              isOpen={open === card.id}
              onOpen={(isOpen) => setOpen(isOpen ? card.id : null)}
            />
          ))}
        </ul>
      )}
      <ProblemAt path={STAMPS} />
      {isAdding && (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdd={(title, gift) => {
            setOpen(add(title, gift));
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

function AddDialog({
  onClose,
  onAdd,
}: {
  onClose: () => void;
  onAdd: (title: string, gift: string) => void;
}) {
  const t = useStampTexts();
  const [title, setTitle] = useState('');
  const [gift, setGift] = useState('');
  const form = useId();
  return (
    <Dialog title={t.newTitle} onClose={onClose}>
      <form
        id={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '' && gift.trim() !== '') onAdd(title.trim(), gift.trim());
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
        <Field
          label={t.newGift}
          hint={t.newGiftHint}
          required
          maxLength={200}
          autoComplete="off"
          value={gift}
          onChange={(event) => setGift(event.currentTarget.value)}
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
