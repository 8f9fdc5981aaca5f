import { useState, type FormEvent } from 'react';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { registerAt } from './register.ts';
import { useTillTexts } from './texts.ts';

/** Asks once which register this device is. Nothing waits for the answer. */
export function RegisterQuestion() {
  const t = useTillTexts();
  const { shop } = usePlace();
  const store = registerAt(shop.id);
  const [register, setRegister] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const registerId = readNumber(register);
    if (typeof registerId === 'number') store.set({ registerId, branchId: null });
    else setWrong(true);
  };
  return (
    <form className="card inside register-question" onSubmit={submit} noValidate>
      <Field
        label={t.registerAsk}
        hint={t.registerAskText}
        problem={isWrong ? t.registerWrong : null}
        inputMode="numeric"
        autoComplete="off"
        value={register}
        onChange={(event) => setRegister(event.currentTarget.value)}
      />
      <div className="acts">
        <Button type="submit">{t.save}</Button>
        <TextButton onClick={() => store.set({ registerId: null, branchId: null })}>{t.onlyOne}</TextButton>
      </div>
    </form>
  );
}

/** Changes the register and the branch of this device. */
export function RegisterDialog({ onClose }: { onClose: () => void }) {
  const t = useTillTexts();
  const shared = useTexts();
  const { shop } = usePlace();
  const store = registerAt(shop.id);
  const kept = useStore(store);
  const [register, setRegister] = useState(String(kept?.registerId ?? ''));
  const [branch, setBranch] = useState(String(kept?.branchId ?? ''));
  const [isWrong, setWrong] = useState(false);
  const [registerId, branchId] = [readNumber(register), readNumber(branch)];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (registerId === undefined || branchId === undefined) return setWrong(true);
    store.set({ registerId, branchId });
    return onClose();
  };
  return (
    <Dialog title={t.registerTitle} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <div className="register-fields">
          <Field
            label={t.registerLabel}
            hint={t.registerHint}
            problem={isWrong && registerId === undefined ? t.registerWrong : null}
            inputMode="numeric"
            autoComplete="off"
            value={register}
            onChange={(event) => setRegister(event.currentTarget.value)}
          />
          <Field
            label={t.branchLabel}
            hint={t.branchHint}
            problem={isWrong && branchId === undefined ? t.registerWrong : null}
            inputMode="numeric"
            autoComplete="off"
            value={branch}
            onChange={(event) => setBranch(event.currentTarget.value)}
          />
        </div>
        <div className="dialog-acts">
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="main" type="submit">
            {t.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns null for an empty text, undefined for one that is no number. */
function readNumber(text: string): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
