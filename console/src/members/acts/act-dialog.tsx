import { ApiError, ConnectionError } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { queries } from '../../api.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useMemberTexts } from '../texts.ts';

/**
 * A dialog that does one thing: it says beforehand what, and stays open with everything that was typed until the service has
 * answered that it is done.
 */
export function ActDialog<Answer>(props: {
  title: string;
  submit: string;
  danger?: boolean;
  /** Returns false if something that was typed is wrong: then nothing is sent. */
  check?: () => boolean;
  act: () => Promise<Answer>;
  onDone: (answer: Answer) => void;
  /** The call failed. It is unknown whether it counted if no answer came. */
  onFail?: (isUnknown: boolean) => void;
  onClose: () => void;
  /** Shown instead of the reason why the call failed. */
  explain?: (error: unknown) => string | null;
  /** True if the call may be repeated after an answer was lost, because it counts once. */
  isKeyed?: boolean;
  children: ReactNode;
}) {
  const t = useMemberTexts();
  const refresh = useRefresh();
  const call = useMutation({
    mutationFn: props.act,
    async onSuccess(answer) {
      props.onDone(answer);
      props.onClose();
      await refresh();
    },
    async onError(error) {
      props.onFail?.(isUnknown(error));
      // Somebody else may have been first: the page shows what is true now.
      await refresh();
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!call.isPending && props.check?.() !== false) call.mutate();
  };
  return (
    <Dialog title={props.title} locked={call.isPending} onClose={props.onClose}>
      <form className="form" noValidate onSubmit={onSubmit}>
        {props.children}
        {call.isError && (
          <p className="strip wrong" role="alert">
            {isUnknown(call.error)
              ? props.isKeyed === true
                ? t.acts.unknownKeyed
                : t.acts.unknown
              : (props.explain?.(call.error) ?? sayProblem(call.error, t.shared))}
          </p>
        )}
        <div className="dialog-acts">
          <Button onClick={() => !call.isPending && props.onClose()}>{t.shared.cancel}</Button>
          <Button
            look={props.danger === true ? 'main danger' : 'main'}
            type="submit"
            busy={call.isPending}
            // A busy button keeps the focus, and presses do nothing.
          >
            {call.isError && isUnknown(call.error) ? t.shared.retry : props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Everything that is shown of this shop may have changed. */
export function useRefresh(): () => Promise<void> {
  const { shop } = usePlace();
  return () => queries.invalidateQueries({ queryKey: [shop.id] });
}

/** No answer came, or one that does not say whether the act counted. */
function isUnknown(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
}
