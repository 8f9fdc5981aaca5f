import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { atTheDoor, isStatus } from '../api.ts';
import { Plain } from '../frame/plain.tsx';
import { forgetKeptActs } from '../members/acts/kept-acts.ts';
import { openSession } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { sayProblem } from '../ui/states.tsx';
import { CodeForm } from './code-form.tsx';
import { EmailForm } from './email-form.tsx';
import { useSignInTexts } from './texts.ts';

/** Signs a person in: an address, then six digits, or the link from the same mail. */
export default function SignInPage() {
  const t = useTexts();
  const own = useSignInTexts();
  const [token, setToken] = useState(takeLink);
  const [email, setEmail] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    document.title = `${own.welcome} · ${t.console}`;
  }, [t]);
  useEffect(forgetKeptActs, []);
  return (
    <Plain>
      {token !== null ? (
        <LinkForm token={token} onGiveUp={() => setToken(null)} />
      ) : email === null ? (
        <>
          <Title>{own.welcome}</Title>
          <p>{own.welcomeText}</p>
          <EmailForm
            typed={typed}
            onType={setTyped}
            send={(address) => atTheDoor.requestStaffCode(address)}
            onSent={setEmail}
          />
        </>
      ) : (
        <>
          <Title>{t.codeTitle}</Title>
          <p>{t.codeText(email)}</p>
          <CodeForm
            submit={t.enter}
            onCode={async (code) => openSession(await atTheDoor.verifyStaffCode(email, code))}
            onNewCode={() => atTheDoor.requestStaffCode(email)}
          >
            <TextButton onClick={() => setEmail(null)}>{t.otherEmail}</TextButton>
          </CodeForm>
        </>
      )}
    </Plain>
  );
}

/** The link is used up only by a press: scanners of mails open links too. */
function LinkForm({ token, onGiveUp }: { token: string; onGiveUp: () => void }) {
  const t = useTexts();
  const own = useSignInTexts();
  const enter = useMutation({
    mutationFn: () => atTheDoor.verifyStaffLink(token),
    onSuccess: openSession,
  });
  return (
    <>
      <Title>{own.linkTitle}</Title>
      <p>{own.linkText}</p>
      <div className="form">
        <Button look="main big" busy={enter.isPending} onClick={() => enter.mutate()}>
          {t.enter}
        </Button>
        <p className="wrong" role="alert">
          {enter.isError &&
            (isStatus(enter.error, 400) || isStatus(enter.error, 422)
              ? own.linkWrong
              : sayProblem(enter.error, t))}
        </p>
        {enter.isError && <Button onClick={onGiveUp}>{t.sendCode}</Button>}
      </div>
    </>
  );
}

/** The heading of a step. It takes the focus, so the step is read out; a field of the step takes it from there. */
function Title({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** Takes the token out of the address, so that it is neither in the history nor in a shared link. */
function takeLink(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('link');
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
