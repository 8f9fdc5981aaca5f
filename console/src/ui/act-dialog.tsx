import { ApiError, ConnectionError } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { queries } from '../api.ts';
import { usePlace } from '../session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { sayProblem } from './states.tsx';
import { useTexts } from '../texts/texts.ts';

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
  /** Shown if no answer came, so that nobody knows whether it was done. */
  unknown: string;
  wide?: boolean;
  /** True while there is nothing to do, only to read. */
  hasNoAct?: boolean;
  children: ReactNode;
}) {
  const t = useTexts();
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
    <Dialog title={props.title} locked={call.isPending} wide={props.wide ?? false} onClose={props.onClose}>
      <form className="form" noValidate onSubmit={onSubmit}>
        {props.children}
        {call.isError && (
          <p className="strip wrong" role="alert">
            {isUnknown(call.error)
              ? props.unknown
              : (props.explain?.(call.error) ?? sayProblem(call.error, t))}
          </p>
        )}
        <div className="dialog-acts">
          <Button onClick={() => !call.isPending && props.onClose()}>
            {props.hasNoAct === true ? t.close : t.cancel}
          </Button>
          {props.hasNoAct !== true && (
            <Button
              look={props.danger === true ? 'main danger' : 'main'}
              type="submit"
              busy={call.isPending}
              // A busy button keeps the focus, and presses do nothing.
            >
              {call.isError && isUnknown(call.error) ? t.retry : props.submit}
            </Button>
          )}
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
