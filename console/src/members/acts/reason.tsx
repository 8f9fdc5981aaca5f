import { Field } from '../../ui/field.tsx';
import { useMemberTexts } from '../texts.ts';

const LONGEST = 200;

/** Why something is done, in one line. */
export function Reason(props: {
  value: string;
  hint: string;
  problem?: string | null;
  isOptional?: boolean;
  onType: (value: string) => void;
}) {
  const t = useMemberTexts();
  return (
    <Field
      name="reason"
      label={props.isOptional === true ? t.acts.reasonOptional : t.acts.reason}
      hint={props.hint}
      problem={props.problem ?? null}
      maxLength={LONGEST}
      autoComplete="off"
      required={props.isOptional !== true}
      value={props.value}
      onChange={(event) => props.onType(event.currentTarget.value)}
    />
  );
}
