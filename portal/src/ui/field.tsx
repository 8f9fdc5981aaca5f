import type { InputHTMLAttributes, RefObject } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';

/** A labelled input with a hint and an error message. */
export function Field(props: {
  label: string;
  value: string;
  onInput: (typed: string) => void;
  problem?: string | null;
  hint?: string;
  class?: string;
  type?: 'text' | 'email' | 'tel' | 'date';
  name?: string;
  inputMode?: 'numeric' | 'tel';
  autocomplete?: AutoFill;
  field?: RefObject<HTMLInputElement | null>;
}) {
  const { label, value, onInput, problem = null, hint, field, type = 'text', ...rest } = props;
  const id = useId();
  const attributes = { ...rest, type } as InputHTMLAttributes;
  // The form may keep less than was typed: a code drops letters, for example.
  useLayoutEffect(() => {
    const input = document.getElementById(id) as HTMLInputElement | null;
    if (input !== null && input.value !== value) input.value = value;
  });
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        {...(field && { ref: field })}
        id={id}
        value={value}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class="small">
        {hint}
      </p>
      <p id={`${id}-problem`} class="wrong" role="alert">
        {problem}
      </p>
    </div>
  );
}
