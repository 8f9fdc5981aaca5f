import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { isStatus } from '../api.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { sayProblem } from '../ui/states.tsx';

/** Takes the six digits from a mail. It is sent by itself with the sixth digit. */
export function CodeForm(props: {
  submit: string;
  /** Checks the code. */
  onCode: (code: string) => Promise<unknown>;
  /** Has a new code sent. */
  onNewCode: () => Promise<unknown>;
  children?: ReactNode;
}) {
  const t = useTexts();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: props.onCode,
    onError(error) {
      setProblem(isStatus(error, 400) || isStatus(error, 422) ? t.codeWrong : sayProblem(error, t));
    },
  });
  const again = useMutation({
    mutationFn: (_before: string) => props.onNewCode(),
    // The new code may have been typed already.
    onSuccess: (_answer, before) => setCode((now) => (now === before ? '' : now)),
    onError: (error) => setProblem(sayProblem(error, t)),
  });

  function type(typed: string) {
    const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
    setCode(digits);
    setProblem(null);
    if (digits.length === 6 && digits !== code && !check.isPending) check.mutate(digits);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (code.length < 6) setProblem(t.codeShort);
    else if (!check.isPending) check.mutate(code);
  }

  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field
        label={t.code}
        className="code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        problem={problem}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Button type="submit" look="main big" busy={check.isPending}>
        {props.submit}
      </Button>
      <div className="form-foot">
        <TextButton
          aria-disabled={again.isPending || undefined}
          onClick={() => again.isPending || again.mutate(code)}
        >
          {t.newCode}
        </TextButton>
        {props.children}
      </div>
      <p className="small" role="status">
        {again.isSuccess && t.newCodeSent}
      </p>
    </form>
  );
}
