import { useState, type FormEvent } from 'react';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { registerAt } from './register.ts';
import { useTillTexts } from './texts.ts';

/** Asks once which register this device is. Nothing waits for the answer. */
export function RegisterQuestion() {
  const t = useTillTexts();
  const { shop } = usePlace();
  return (
    <section className="card inside stack">
      <div>
        <b>{t.registerAsk}</b>
        <p className="small">{t.registerAskText}</p>
      </div>
      <RegisterForm onDone={() => undefined}>
        <Button onClick={() => registerAt(shop.id).set({ registerId: null, branchId: null })}>
          {t.onlyOne}
        </Button>
      </RegisterForm>
    </section>
  );
}

/** Changes the register of this device. */
export function RegisterDialog({ onClose }: { onClose: () => void }) {
  const t = useTillTexts();
  const shared = useTexts();
  return (
    <Dialog title={t.registerTitle} onClose={onClose}>
      <p>{t.registerAskText}</p>
      <RegisterForm onDone={onClose}>
        <Button onClick={onClose}>{shared.cancel}</Button>
      </RegisterForm>
    </Dialog>
  );
}

function RegisterForm({ onDone, children }: { onDone: () => void; children: React.ReactNode }) {
  const t = useTillTexts();
  const { shop } = usePlace();
  const store = registerAt(shop.id);
  const kept = useStore(store);
  const [register, setRegister] = useState(String(kept?.registerId ?? ''));
  const [branch, setBranch] = useState(String(kept?.branchId ?? ''));
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [registerId, branchId] = [readNumber(register), readNumber(branch)];
    if (registerId === undefined || branchId === undefined) return setWrong(true);
    store.set({ registerId, branchId });
    onDone();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <div className="register-fields">
        <Field
          label={t.registerLabel}
          hint={t.registerHint}
          problem={isWrong && readNumber(register) === undefined ? t.registerWrong : null}
          inputMode="numeric"
          autoComplete="off"
          value={register}
          onChange={(event) => setRegister(event.currentTarget.value)}
        />
        <Field
          label={t.branchLabel}
          hint={t.branchHint}
          problem={isWrong && readNumber(branch) === undefined ? t.registerWrong : null}
          inputMode="numeric"
          autoComplete="off"
          value={branch}
          onChange={(event) => setBranch(event.currentTarget.value)}
        />
      </div>
      <div className="dialog-acts">
        {children}
        <Button look="main" type="submit">
          {t.save}
        </Button>
      </div>
    </form>
  );
}

/** Returns null for an empty text, undefined for one that is no number. */
function readNumber(text: string): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
