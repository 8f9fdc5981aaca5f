import { signedIn } from '../api.ts';
import { openSession, usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { TextButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CodeForm } from './code-form.tsx';
import { SentCode } from './sent-code.tsx';
import { useSignInTexts } from './texts.ts';

/** Something weighs so much that the person proves once more who it is. Then the call is repeated. */
export default function FreshCode({ onEnd }: { onEnd: (repeat: boolean) => void }) {
  const t = useTexts();
  const own = useSignInTexts();
  const { email } = usePlace().session;
  const send = () => signedIn.requestStepUpCode();
  return (
    <Dialog title={own.freshTitle} onClose={() => onEnd(false)}>
      <SentCode send={send} done={own.freshText(email)} />
      <CodeForm
        submit={own.freshEnter}
        onNewCode={send}
        onCode={async (code) => {
          openSession(await signedIn.verifyStepUpCode(code));
          onEnd(true);
        }}
      >
        <TextButton onClick={() => onEnd(false)}>{t.cancel}</TextButton>
      </CodeForm>
    </Dialog>
  );
}
