import { Field } from '../ui/field.tsx';
import { useEditing } from './editing.ts';
import { anchorOf, useAt } from './parts.tsx';
import { useProblemText } from './problem-text.ts';
import { addDays, instantOf, localTimeOf } from './zone.ts';

/** An instant as a local day or time. The end of whole days is the first instant that no longer counts. */
export function InstantAt(props: {
  path: string;
  label: string;
  type: 'date' | 'datetime-local';
  isLastDay?: boolean;
}) {
  const { path, type, isLastDay = false } = props;
  const { program } = useEditing();
  const say = useProblemText();
  const { value, set, problem, limits } = useAt(path);
  const zone = program.time_zone;
  const local = typeof value === 'string' ? localTimeOf(value, zone) : '';
  const day = local.slice(0, 10);
  const shown = type === 'datetime-local' ? local : isLastDay ? addDays(day, -1) : day;
  const pick = (next: string) => {
    const time = type === 'datetime-local' ? next : `${isLastDay ? addDays(next, 1) : next}T00:00`;
    set(instantOf(time, zone) ?? (limits.mayBeEmpty === true ? null : ''));
  };
  return (
    <div id={anchorOf(path)}>
      <Field
        type={type}
        label={props.label}
        value={shown}
        problem={problem === null ? null : say(problem)}
        onChange={(event) => pick(event.currentTarget.value)}
      />
    </div>
  );
}

/** True if an instant begins a local day, or is none. */
export const isWholeDay = (instant: string | null, zone: string): boolean =>
  /^$|T00:00$/.test(instant === null ? '' : localTimeOf(instant, zone));
