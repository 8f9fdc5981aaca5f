import { createContext, useContext, useId, type ComponentProps, type ReactNode } from 'react';

/** True inside of a form that must stay as it was sent: its fields can be read and not changed. */
export const Locked = createContext(false);

interface Labels {
  label: string;
  hint?: ReactNode;
  /** The error in the value. It is announced when it appears. */
  problem?: string | null;
}

/** A labelled input with a hint and a problem. Takes all properties of an input. */
export function Field({
  label,
  hint,
  problem = null,
  className = '',
  ...rest
}: Labels & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, problem }}>
      <input
        readOnly={useContext(Locked)}
        {...rest}
        id={id}
        className={`input ${className}`.trim()}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={`${id}-hint ${id}-problem`}
      />
    </Labelled>
  );
}

/** A choice of a few, in the browser's own control: it works on every phone and with every screen reader. */
export function Choice({
  label,
  hint,
  problem = null,
  options,
  ...rest
}: Labels & ComponentProps<'select'> & { options: readonly (readonly [value: string, label: string])[] }) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, problem }}>
      <select
        disabled={useContext(Locked)}
        {...rest}
        id={id}
        className="input"
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={`${id}-hint ${id}-problem`}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({ id, label, hint, problem, children }: Labels & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <p id={`${id}-hint`} className="small">
        {hint}
      </p>
      <p id={`${id}-problem`} className="wrong" role="alert">
        {problem}
      </p>
    </div>
  );
}
