import type { ComponentProps } from 'react';
import { ActDialog as AnyActDialog } from '../../ui/act-dialog.tsx';
import { useMemberTexts } from '../texts.ts';

export { useRefresh } from '../../ui/act-dialog.tsx';

/** A dialog that does one thing to a member. */
export function ActDialog<Answer>({
  isUnknown,
  ...rest
}: Omit<ComponentProps<typeof AnyActDialog<Answer>>, 'unknown' | 'once'> & {
  /** Of an act that counts once: whether it was sent and its outcome is not known. */
  isUnknown?: boolean;
}) {
  const t = useMemberTexts();
  if (isUnknown === undefined) return <AnyActDialog {...rest} unknown={t.acts.unknown} />;
  return <AnyActDialog {...rest} unknown={t.acts.unknownKeyed} once={{ isUnknown, again: t.acts.again }} />;
}
