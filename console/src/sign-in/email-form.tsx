import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { isStatus } from '../api.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { sayProblem } from '../ui/states.tsx';

/** Asks for an address and sends a code there. The caller keeps the typed address, so that it is still there afterwards. */
export function EmailForm(props: {
  typed: string;
  onType: (email: string) => void;
  send: (email: string) => Promise<unknown>;
  onSent: (email: string) => void;
  /** Says a refusal of the caller's own, or null for any other. */
  sayWhy?: (error: unknown) => string | null;
}) {
  const t = useTexts();
  const [problem, setProblem] = useState<string | null>(null);
  const send = useMutation({
    mutationFn: props.send,
    onSuccess: (_, email) => props.onSent(email),
    onError: (error) =>
      setProblem(props.sayWhy?.(error) ?? (isStatus(error, 422) ? t.emailProblem : sayProblem(error, t))),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const email = props.typed.trim();
    if (!/^\S+@\S+\.\S+$/.test(email)) setProblem(t.emailProblem);
    else if (!send.isPending) send.mutate(email);
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field
        label={t.email}
        type="email"
        name="email"
        autoComplete="email"
        autoFocus
        value={props.typed}
        problem={problem}
        onChange={(event) => {
          props.onType(event.currentTarget.value);
          setProblem(null);
        }}
      />
      <Button type="submit" look="main big" busy={send.isPending}>
        {t.sendCode}
      </Button>
    </form>
  );
}
