import { useMutation } from '@tanstack/react-query';
import { useRef, type FormEvent, type ReactNode } from 'react';
import { isWithoutAnswer, queries } from '../api.ts';
import { usePlace } from '../session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Locked } from './field.tsx';
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
  onClose: () => void;
  /** Shown instead of the reason why the call failed. */
  explain?: (error: unknown) => string | null;
  /** Shown if no answer came, so that nobody knows whether it was done. */
  unknown: string;
  /** True if doing it twice makes two. Without an answer, it then cannot be sent again: `unknown` says where to look. */
  makesAnother?: boolean;
  /** Of an act that counts once: whether it was sent and its outcome is not known. It can then only be sent again, by a button that says so. */
  once?: { readonly isUnknown: boolean; readonly again: string };
  wide?: boolean;
  /** True while there is nothing to do, only to read. */
  hasNoAct?: boolean;
  children: ReactNode;
}) {
  const t = useTexts();
  const { once } = props;
  const refresh = useRefresh();
  // A second press may come before the call is seen to be under way.
  const isSending = useRef(false);
  const call = useMutation({
    mutationFn: props.act,
    retry: (failures, error) => once !== undefined && failures < 1 && isWithoutAnswer(error),
    async onSuccess(answer) {
      props.onDone(answer);
      props.onClose();
      await refresh();
    },
    async onError(error) {
      // Somebody else may have been first: the page shows what is true now.
      const isRead = refresh();
      if (!isWithoutAnswer(error)) await isRead;
    },
    onSettled() {
      isSending.current = false;
    },
  });
  const isLost = call.isError && isWithoutAnswer(call.error);
  const isUnknown = !call.isPending && (once?.isUnknown ?? isLost);
  const isOver = isUnknown && props.makesAnother === true;
  const hasNoAct = props.hasNoAct === true || isOver;
  const mustStay = isOver || (once !== undefined && isUnknown);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (hasNoAct || isSending.current || (!isUnknown && props.check?.() === false)) return;
    isSending.current = true;
    call.mutate();
  };
  return (
    <Dialog title={props.title} locked={call.isPending} wide={props.wide ?? false} onClose={props.onClose}>
      <form className={mustStay ? 'form as-sent' : 'form'} noValidate onSubmit={onSubmit}>
        <Locked value={call.isPending || mustStay}>{props.children}</Locked>
        {isUnknown && (
          <p className="strip wrong" role="alert">
            {props.unknown}
          </p>
        )}
        {call.isError && !isLost && (
          <p className="strip wrong" role="alert">
            {props.explain?.(call.error) ?? sayProblem(call.error, t)}
          </p>
        )}
        <div className="dialog-acts">
          {/* It takes the focus from the button that goes. */}
          <Button key={String(isOver)} autoFocus={isOver} onClick={() => !call.isPending && props.onClose()}>
            {/* What was sent cannot be taken back by it. */}
            {hasNoAct || isUnknown ? t.close : t.cancel}
          </Button>
          {!hasNoAct && (
            <Button
              look={props.danger === true ? 'main danger' : 'main'}
              type="submit"
              busy={call.isPending}
              // A busy button keeps the focus, and presses do nothing.
            >
              {isUnknown ? (once?.again ?? t.retry) : props.submit}
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
