import { ApiError } from '@loyalty/sdk';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { useClub } from './club.ts';
import { Field } from './ui/field.tsx';
import { Icon } from './ui/icon.tsx';
import { describeError } from './ui/problem.tsx';

/** The service sends at most one code a minute to an address. */
const PAUSE_MS = 60_000;

/** Signs in by a one-time code: first the address, then the six digits. */
export function SignIn(props: {
  heading: RefObject<HTMLHeadingElement | null>;
  sessionEnded: boolean;
  onSignedIn: () => void;
}) {
  const { t } = useClub();
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <section class="card door">
      {props.sessionEnded && (
        <p class="note" role="status">
          {t.sessionEnded}
        </p>
      )}
      <span class="badge large">
        <Icon name={sentTo === null ? 'party' : 'mail'} size={26} />
      </span>
      <h1 ref={props.heading} tabIndex={-1}>
        {sentTo === null ? t.signInTitle : t.codeTitle}
      </h1>
      {sentTo === null ? (
        <AskForCode email={email} onEmail={setEmail} onSent={setSentTo} />
      ) : (
        <EnterCode email={sentTo} onOtherEmail={() => setSentTo(null)} onSignedIn={props.onSignedIn} />
      )}
    </section>
  );
}

function AskForCode(props: {
  email: string;
  onEmail: (email: string) => void;
  onSent: (email: string) => void;
}) {
  const { t, f, client } = useClub();
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  // Back from the code, to use a different address.
  useEffect(() => {
    if (props.email !== '') field.current?.focus();
  }, []);

  async function send(event: Event) {
    event.preventDefault();
    if (busy) return;
    const email = props.email.trim();
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
      setProblem(t.emailWrong);
      field.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await client.requestOneTimeCode(email);
      props.onSent(email);
    } catch (error) {
      setProblem(describeError(error, t, f));
      setBusy(false);
    }
  }

  return (
    <form noValidate onSubmit={(event) => void send(event)}>
      <p>{t.signInText}</p>
      <Field
        field={field}
        label={t.email}
        problem={problem}
        type="email"
        name="email"
        autocomplete="email"
        value={props.email}
        onInput={props.onEmail}
      />
      <button class="button main" aria-disabled={busy}>
        {t.sendCode}
      </button>
    </form>
  );
}

function EnterCode(props: { email: string; onOtherEmail: () => void; onSignedIn: () => void }) {
  const { t, f, client } = useClub();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [sentAt, setSentAt] = useState(Date.now);
  const wait = useSecondsUntil(sentAt + PAUSE_MS);
  const [hint, setHint] = useState<string | null>(null);
  const busy = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const typed = useRef(code);
  typed.current = code;

  useEffect(() => field.current?.focus(), []);

  async function verify(digits: string) {
    if (busy.current) return;
    if (digits.length !== 6) {
      setProblem(t.codeIncomplete);
      field.current?.focus();
      return;
    }
    busy.current = true;
    setProblem(null);
    try {
      await client.verifyOneTimeCode(props.email, digits);
      props.onSignedIn();
    } catch (error) {
      busy.current = false;
      // It was corrected meanwhile, so the answer is about digits that are no longer there.
      if (typed.current !== digits) {
        if (typed.current.length === 6) void verify(typed.current);
        return;
      }
      setProblem(
        error instanceof ApiError && error.status === 400 ? t.codeWrong : describeError(error, t, f),
      );
      setHint(t.codeOtherWays);
      field.current?.focus();
      field.current?.select();
    }
  }

  async function sendAgain() {
    if (wait > 0) return;
    setSentAt(Date.now());
    setCode('');
    setProblem(null);
    setHint(null);
    try {
      await client.requestOneTimeCode(props.email);
      setHint(t.newCodeAsked);
      announce(t.newCodeAsked);
      field.current?.focus();
    } catch (error) {
      setProblem(describeError(error, t, f));
      setSentAt(0);
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void verify(code);
      }}
    >
      <p>{t.codeText(props.email)}</p>
      <Field
        field={field}
        label={t.code}
        problem={problem}
        class="code"
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        value={code}
        onInput={(typed) => {
          const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
          setCode(digits);
          // Submitted as soon as it is complete, whether it was pasted, filled in by the phone or typed.
          if (digits.length === 6 && digits !== code) void verify(digits);
        }}
      />
      <button class="button main">{t.signIn}</button>
      {hint !== null && <p class="small">{hint}</p>}
      <p class="side-by-side">
        <button type="button" class="plain" aria-disabled={wait > 0} onClick={() => void sendAgain()}>
          {wait > 0 ? t.newCodeIn(wait, f) : t.newCode}
        </button>
        <button type="button" class="plain" onClick={props.onOtherEmail}>
          {t.otherEmail}
        </button>
      </p>
    </form>
  );
}

/** Counts by the clock, because phones stop the timers of a page that is put aside. */
function useSecondsUntil(instant: number): number {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((instant - Date.now()) / 1_000));
}
