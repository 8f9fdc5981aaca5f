import { useState, type FormEvent } from 'react';
import { useBranches, usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { useRegisterTexts } from './register-texts.ts';
import { registerAt, type Register } from './register.ts';

/** Asks once which register this device is. Nothing waits for the answer. */
export function RegisterQuestion() {
  const t = useRegisterTexts();
  const { shop } = usePlace();
  const store = registerAt(shop.id);
  const hasBranches = useBranches().length > 0;
  const choice = useChoice(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = choice.read();
    if (chosen !== null && (chosen.registerId !== null || chosen.branchId !== null)) store.set(chosen);
    else choice.setWrong();
  };
  return (
    <form className="card inside register-question" onSubmit={submit} noValidate>
      {hasBranches && <BranchField choice={choice} />}
      <RegisterField choice={choice} label={t.registerAsk} hint={t.registerAskText} />
      <div className="acts">
        <Button type="submit">{t.save}</Button>
        <TextButton onClick={() => store.set({ registerId: null, branchId: null })}>{t.onlyOne}</TextButton>
      </div>
    </form>
  );
}

/** Changes the register and the branch of this device. */
export function RegisterDialog({ onClose }: { onClose: () => void }) {
  const t = useRegisterTexts();
  const shared = useTexts();
  const { shop } = usePlace();
  const store = registerAt(shop.id);
  const choice = useChoice(useStore(store));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = choice.read();
    if (chosen === null) return choice.setWrong();
    store.set(chosen);
    return onClose();
  };
  return (
    <Dialog title={t.registerTitle} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <div className="register-fields">
          <RegisterField choice={choice} label={t.registerLabel} hint={t.registerHint} />
          <BranchField choice={choice} />
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

type Choosing = ReturnType<typeof useChoice>;

/** What is typed or chosen, until it is saved. */
function useChoice(kept: Register | null) {
  const [register, setRegister] = useState(String(kept?.registerId ?? ''));
  const [branch, setBranch] = useState(String(kept?.branchId ?? ''));
  const [isWrong, setIsWrong] = useState(false);
  const [registerId, branchId] = [readNumber(register), readNumber(branch)];
  return {
    register,
    branch,
    setRegister,
    setBranch,
    isRegisterWrong: isWrong && (registerId === undefined || (registerId === null && branchId === null)),
    isBranchWrong: isWrong && branchId === undefined,
    setWrong: () => setIsWrong(true),
    /** Returns null if one of them is no number. */
    read: (): Register | null =>
      registerId === undefined || branchId === undefined ? null : { registerId, branchId },
  };
}

/** A choice of the branches that the program names, or a number. */
function BranchField({ choice }: { choice: Choosing }) {
  const t = useRegisterTexts();
  const branches = useBranches();
  const { branch, setBranch } = choice;
  const label = branches.length > 0 ? t.branchName : t.branchLabel;
  if (branches.length === 0)
    return (
      <NumberField
        label={label}
        hint={t.branchHint}
        isWrong={choice.isBranchWrong}
        value={branch}
        onType={setBranch}
      />
    );
  return (
    <Choice
      label={label}
      value={branch}
      options={withKept(branch, branches)}
      onChange={(event) => setBranch(event.currentTarget.value)}
    />
  );
}

/** A choice of the registers of the branch, or a number. */
function RegisterField({ choice, label, hint }: { choice: Choosing; label: string; hint: string }) {
  const branches = useBranches();
  const { register, setRegister } = choice;
  const registers = branches.find(({ id }) => String(id) === choice.branch)?.registers ?? [];
  if (registers.length === 0)
    return (
      <NumberField
        {...{ label, hint }}
        isWrong={choice.isRegisterWrong}
        value={register}
        onType={setRegister}
      />
    );
  return (
    <Choice
      {...{ label, hint }}
      value={register}
      options={withKept(register, registers)}
      onChange={(event) => setRegister(event.currentTarget.value)}
    />
  );
}

function NumberField(props: {
  label: string;
  hint: string;
  isWrong: boolean;
  value: string;
  onType: (value: string) => void;
}) {
  const t = useRegisterTexts();
  return (
    <Field
      label={props.label}
      hint={props.hint}
      problem={props.isWrong ? t.registerWrong : null}
      inputMode="numeric"
      autoComplete="off"
      value={props.value}
      onChange={(event) => props.onType(event.currentTarget.value)}
    />
  );
}

/** None, those that have a name, and the one that the device has kept. */
function withKept(
  kept: string,
  named: readonly { readonly id: number; readonly name: string }[],
): (readonly [value: string, label: string])[] {
  const known = named.map(({ id, name }) => [String(id), name] as const);
  const isKnown = kept === '' || known.some(([id]) => id === kept);
  return [['', '–'], ...known, ...(isKnown ? [] : [[kept, kept] as const])];
}

/** Returns null for an empty text, undefined for one that is no number. */
function readNumber(text: string): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
