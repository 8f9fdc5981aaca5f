import type { ComponentProps } from 'react';
import { ActDialog as AnyActDialog } from '../../ui/act-dialog.tsx';
import { useMemberTexts } from '../texts.ts';

export { useRefresh } from '../../ui/act-dialog.tsx';

/** A dialog that does one thing to a member. */
export function ActDialog<Answer>({
  isKeyed = false,
  ...rest
}: Omit<ComponentProps<typeof AnyActDialog<Answer>>, 'unknown'> & {
  /** True if the call may be repeated after an answer was lost, because it counts once. */
  isKeyed?: boolean;
}) {
  const t = useMemberTexts();
  return <AnyActDialog {...rest} unknown={isKeyed ? t.acts.unknownKeyed : t.acts.unknown} />;
}
