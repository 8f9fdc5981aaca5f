import { atTheDoor } from '../api.ts';
import { leave } from '../frame/sign-out.tsx';
import { openSession, usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { TextButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CodeForm } from './code-form.tsx';
import { SentCode } from './sent-code.tsx';
import { useSignInTexts } from './texts.ts';

/** The session ended in the middle of something. The same person signs in, and the call that was refused is repeated. */
export default function SignInAgain({ onEnd }: { onEnd: (repeat: boolean) => void }) {
  const t = useTexts();
  const own = useSignInTexts();
  const { email } = usePlace().session;
  const send = () => atTheDoor.requestStaffCode(email);
  return (
    <Dialog title={own.againTitle} onClose={() => onEnd(false)}>
      <p>{own.againText}</p>
      <SentCode send={send} done={own.againCode(email)} />
      <CodeForm
        submit={t.enter}
        onNewCode={send}
        // Ends the interruption, too.
        onCode={async (code) => openSession(await atTheDoor.verifyStaffCode(email, code))}
      >
        <TextButton title={own.againOtherHint} onClick={leave}>
          {own.againOther}
        </TextButton>
      </CodeForm>
    </Dialog>
  );
}
