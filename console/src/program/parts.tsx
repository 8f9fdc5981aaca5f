/**
 * The parts of the forms of Program. Each shows the value at a path of the draft, changes it there, says beside it what is
 * in force if that is another value, and below it what the service finds wrong with it.
 */
import { useContext, useId, useState, type ComponentProps, type ReactNode } from 'react';
import { LocaleContext } from '../language.ts';
import { TextButton } from '../ui/button.tsx';
import { samePlaceIn } from './differences.ts';
import { useEditing } from './editing.ts';
import { LIMITS, type Limits } from './limits.ts';
import { readNumber, writeNumber } from './numbers.ts';
import { isSame, patternOf, valueAt } from './paths.ts';
import { useProblemText } from './problem-text.ts';
import { useProgramTexts } from './texts.ts';
import { useValueText } from './value-text.tsx';

export interface Part {
  /** Where the value is, such as `levels.ladder[1].threshold`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: ReactNode;
}

/** The value at a path, with everything that a form needs to know about it. */
export function useAt(path: string) {
  const { program, base, change, problemsIn } = useEditing();
  const value = valueAt(program, path);
  const place = samePlaceIn(base.program, program, path);
  const before = place === null ? undefined : valueAt(base.program, place);
  const [first] = problemsIn(path);
  return {
    value,
    /** The value at the same place of the program that the draft began from. */
    before,
    isChanged: before !== undefined && !isSame(value, before),
    problem: first ?? null,
    limits: LIMITS[patternOf(path)] ?? ({} satisfies Limits),
    set: (next: unknown) => change(path, next),
  };
}

/** One line of text. An empty one is null if the field may be empty. */
export function TextAt({ path, label, hint, ...rest }: Part & Omit<ComponentProps<'input'>, 'value'>) {
  const { value, limits, set, ...at } = useAt(path);
  return (
    <Labelled {...{ path, label, hint, at }}>
      {(ids) => (
        <input
          {...rest}
          {...ids}
          className="input"
          value={textOf(value)}
          maxLength={limits.maxLength}
          onChange={({ currentTarget: { value: text } }) =>
            set(text === '' && limits.mayBeEmpty === true ? null : text)
          }
        />
      )}
    </Labelled>
  );
}

/**
 * Text of several lines.
 * @public
 */
export function LongTextAt({ path, label, hint, rows = 3 }: Part & { rows?: number }) {
  const { value, limits, set, ...at } = useAt(path);
  return (
    <Labelled {...{ path, label, hint, at }}>
      {(ids) => (
        <textarea
          {...ids}
          className="input"
          rows={rows}
          value={textOf(value)}
          maxLength={limits.maxLength}
          onChange={({ currentTarget: { value: text } }) => set(text)}
        />
      )}
    </Labelled>
  );
}

/** A number as people write it in the reader's language. Anything that is not a number stays in the draft as it was typed. */
export function NumberAt(props: Part & { before?: string; after?: string; look?: 'figure' }) {
  const { path, label, hint, look } = props;
  const locale = useContext(LocaleContext);
  const { value, limits, set, ...at } = useAt(path);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (typeof value === 'number' ? writeNumber(value, locale) : textOf(value));
  const type = (text: string) => {
    setTyped(text);
    const number = readNumber(text, locale);
    set(text.trim() === '' && limits.mayBeEmpty === true ? null : (number ?? text));
  };
  return (
    <Labelled {...{ path, label, hint, at }}>
      {(ids) => (
        <span className={look === 'figure' ? 'input unit-input is-figure' : 'input unit-input'}>
          {props.before !== undefined && <span aria-hidden="true">{props.before}</span>}
          <input
            {...ids}
            inputMode={limits.isWhole === true ? 'numeric' : 'decimal'}
            autoComplete="off"
            value={shown}
            onChange={(event) => type(event.currentTarget.value)}
            onBlur={() => setTyped(null)}
          />
          {props.after !== undefined && <span aria-hidden="true">{props.after}</span>}
        </span>
      )}
    </Labelled>
  );
}

/**
 * A list of words or, if it `isOfNumbers`, of whole numbers, with commas between them. What was typed stays as it is until the field is
 * left.
 */
export function WordsAt({ path, label, hint, isOfNumbers = false }: Part & { isOfNumbers?: boolean }) {
  const { value, limits: _, set, ...at } = useAt(path);
  const [typed, setTyped] = useState<string | null>(null);
  const type = (text: string) => {
    setTyped(text);
    const words = [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== '');
    set(isOfNumbers ? words.map((word) => (/^\d{1,15}$/.test(word) ? Number(word) : word)) : words);
  };
  return (
    <Labelled {...{ path, label, hint, at }}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          inputMode={isOfNumbers ? 'numeric' : 'text'}
          autoComplete="off"
          value={typed ?? ((value ?? []) as readonly (string | number)[]).join(', ')}
          onChange={(event) => type(event.currentTarget.value)}
          onBlur={() => setTyped(null)}
        />
      )}
    </Labelled>
  );
}

/** Any of a few. The list keeps their order. */
export function ChecksAt({
  path,
  label,
  options,
}: Part & { options: readonly (readonly [value: string | number, label: string])[] }) {
  const { value, set, ...at } = useAt(path);
  const chosen = (value ?? []) as readonly (string | number)[];
  const check = (one: string | number, isOn: boolean) =>
    set(
      options.map(([option]) => option).filter((option) => (option === one ? isOn : chosen.includes(option))),
    );
  return (
    <fieldset className="field" id={anchorOf(path)}>
      <legend>{label}</legend>
      <div className="checks">
        {options.map(([option, text]) => (
          <label key={option} className={chosen.includes(option) ? 'check-chip is-on' : 'check-chip'}>
            <input
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={(event) => check(option, event.currentTarget.checked)}
            />
            {text}
          </label>
        ))}
      </div>
      <Before path={path} at={at} />
      <ProblemAt path={path} below />
    </fieldset>
  );
}

/** A choice of a few in the browser's own control. The value `''` stands for null. */
export function ChoiceAt({
  path,
  label,
  hint,
  options,
}: Part & { options: readonly (readonly [value: string, label: string])[] }) {
  const { value, set, ...at } = useAt(path);
  return (
    <Labelled {...{ path, label, hint, at }}>
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={textOf(value)}
          onChange={({ currentTarget }) => set(currentTarget.value === '' ? null : currentTarget.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Few choices that need a sentence each. */
export function RadiosAt(
  props: Part & {
    options: readonly (readonly [value: string, label: string, hint?: string])[];
    onPick?: (value: string) => void;
  },
) {
  const { path, label, options } = props;
  const { value, set, ...at } = useAt(path);
  const id = useId();
  return (
    <fieldset className="field" id={anchorOf(path)}>
      <legend>{label}</legend>
      <div className="radios">
        {options.map(([option, text, more]) => (
          <label key={option} className={value === option ? 'radio is-on' : 'radio'}>
            <input
              type="radio"
              name={id}
              checked={value === option}
              onChange={() => (props.onPick ?? set)(option)}
            />
            <span className="row-words">
              <b>{text}</b>
              {more !== undefined && <span className="small">{more}</span>}
            </span>
          </label>
        ))}
      </div>
      <Before path={path} at={at} />
      <ProblemAt path={path} />
    </fieldset>
  );
}

/**
 * Yes or no.
 * @public
 */
export function SwitchAt({ path, label, hint }: Part) {
  const { value, set, ...at } = useAt(path);
  return (
    <div className="field" id={anchorOf(path)}>
      <label className="check">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span className="row-words">
          <span className="name">{label}</span>
          {hint !== undefined && <span className="small">{hint}</span>}
        </span>
      </label>
      <Before path={path} at={at} />
      <ProblemAt path={path} />
    </div>
  );
}

/** Shows the service's problem at exactly this place or, with `below`, anywhere in it. For places without a field of their own. */
export function ProblemAt({ path, below = false, id }: { path: string; below?: boolean; id?: string }) {
  const { problemsIn } = useEditing();
  const say = useProblemText();
  const [problem] = problemsIn(path).filter((one) => below || one.path === path);
  return (
    <p className="wrong problem" id={id} role="alert">
      {problem !== undefined && say(problem)}
    </p>
  );
}

type At = Pick<ReturnType<typeof useAt>, 'before' | 'isChanged' | 'problem'>;

function Labelled(props: Part & { at: At; children: (ids: Ids) => ReactNode }) {
  const { path, label, hint, at } = props;
  const id = useId();
  return (
    <div className="field" id={anchorOf(path)}>
      <label htmlFor={id}>{label}</label>
      {props.children({
        id,
        'aria-invalid': at.problem === null ? undefined : true,
        'aria-describedby': `${id}-hint ${id}-problem`,
      })}
      <div id={`${id}-hint`} className="hints">
        {hint !== undefined && <p className="small">{hint}</p>}
        <Before path={path} at={at} />
      </div>
      <ProblemAt path={path} below id={`${id}-problem`} />
    </div>
  );
}

interface Ids {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string;
}

/** Says what the value was before it was changed, with a way back. */
function Before({ path, at }: { path: string; at: At }) {
  const t = useProgramTexts();
  const valueText = useValueText();
  const { change } = useEditing();
  if (!at.isChanged) return null;
  return (
    <p className="small before">
      <span>{t.wasBefore(valueText(path, at.before))}</span>
      <TextButton onClick={() => change(path, at.before)}>{t.putBack}</TextButton>
    </p>
  );
}

/** The id of the field of a path, to lead there from a list of problems. */
export const anchorOf = (path: string): string => `at-${path.replaceAll(/\W+/g, '-')}`;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
