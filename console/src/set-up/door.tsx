import type { SetUp } from '@loyalty/sdk/admin';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useContext, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { isCode, isStatus } from '../api.ts';
import { LocaleContext } from '../language.ts';
import { BASE } from '../place.ts';
import { CodeForm } from '../sign-in/code-form.tsx';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { keepSetUp, pathOf, setUpApi } from './set-up-state.ts';
import { Question, Shell } from './shell.tsx';
import { useSetUpTexts } from './texts.ts';

/** The link, then the address, then the code: together they open a set-up. */
export function Door(props: { token: string; begun: SetUp | null; onOpen: () => void }) {
  const { token, begun, onOpen } = props;
  const t = useSetUpTexts();
  const shared = useTexts();
  const locale = useContext(LocaleContext);
  const [, go] = useLocation();
  const [email, setEmail] = useState<string | null>(null);
  const [typed, setTyped] = useState(begun?.email ?? '');
  const link = useQuery({
    queryKey: ['set-up-link', token],
    queryFn: ({ signal }) => setUpApi.readSetUpLink(token, { signal }),
    enabled: token !== '',
    refetchOnWindowFocus: false,
  });
  const open = (setUp: SetUp) => {
    keepSetUp(setUp);
    // The token has done its work, and must not stay in the address.
    go(pathOf(setUp.answers.step ?? 'shop'), { replace: true });
    onOpen();
  };
  const send = (to: string) => setUpApi.requestSetUpCode({ token, email: to, locale });

  if (token === '') return <NoLink title={t.noLinkTitle} text={t.noLinkText} />;
  if (link.data === undefined)
    return (
      <Shell setUp={begun} step={null}>
        {!link.isError ? (
          <Waiting rows={2} />
        ) : isCode(link.error, 'set_up_link_refused') ? (
          <Refused begun={begun} onGoOn={open} />
        ) : (
          <Problem error={link.error} onRetry={() => void link.refetch()} />
        )}
      </Shell>
    );
  return (
    <Shell setUp={begun} step="you">
      {email === null ? (
        <>
          <Question>{link.data.is_opened ? t.goOnTitle : t.youTitle}</Question>
          <p>{link.data.is_opened ? t.goOnText : t.youText}</p>
          <EmailForm typed={typed} onType={setTyped} send={send} onSent={setEmail} />
          {begun !== null && begun.shop === null && (
            <p>
              <TextButton onClick={() => open(begun)}>{t.goOnTitle}</TextButton>
            </p>
          )}
        </>
      ) : (
        <>
          <Question>{t.codeTitle}</Question>
          <p>{t.codeText(email)}</p>
          {link.data.mailbox_url !== null && (
            <p className="note">
              {t.mailbox}{' '}
              <a href={link.data.mailbox_url} target="_blank" rel="noreferrer">
                {t.mailboxLink}
              </a>
            </p>
          )}
          <CodeForm
            submit={t.next}
            onNewCode={() => send(email)}
            onCode={async (otp) => {
              const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
              open(await setUpApi.claimSetUp({ token, email, otp, time_zone, locale: navigator.language }));
            }}
          >
            <TextButton onClick={() => setEmail(null)}>{shared.otherEmail}</TextButton>
          </CodeForm>
        </>
      )}
    </Shell>
  );
}

function EmailForm(props: {
  typed: string;
  onType: (email: string) => void;
  send: (email: string) => Promise<unknown>;
  onSent: (email: string) => void;
}) {
  const t = useSetUpTexts();
  const shared = useTexts();
  const [problem, setProblem] = useState<string | null>(null);
  const send = useMutation({
    mutationFn: props.send,
    onSuccess: (_, email) => props.onSent(email),
    onError: (error) =>
      setProblem(
        isCode(error, 'set_up_link_taken')
          ? t.taken
          : isStatus(error, 422)
            ? shared.emailProblem
            : sayProblem(error, shared),
      ),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const email = props.typed.trim();
    if (!/^\S+@\S+\.\S+$/.test(email)) setProblem(shared.emailProblem);
    else if (!send.isPending) send.mutate(email);
  }
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field
        label={shared.email}
        type="email"
        name="email"
        autoComplete="email"
        autoFocus
        value={props.typed}
        problem={problem}
        onChange={(event) => {
          props.onType(event.currentTarget.value);
          setProblem(null);
        }}
      />
      <Button type="submit" look="main big" busy={send.isPending}>
        {shared.sendCode}
      </Button>
    </form>
  );
}

/** An old link is of no harm to somebody who has begun, or has a shop already. */
function Refused({ begun, onGoOn }: { begun: SetUp | null; onGoOn: (setUp: SetUp) => void }) {
  const t = useSetUpTexts();
  if (begun !== null)
    return (
      <Empty
        isPage
        title={begun.shop === null ? t.goOnTitle : t.isOpenTitle}
        act={
          <Button look="main" onClick={() => onGoOn(begun)}>
            {begun.shop === null ? t.next : t.toShop}
          </Button>
        }
      />
    );
  return <Sorry title={t.refusedTitle} text={t.refusedText} />;
}

function NoLink({ title, text }: { title: string; text: string }) {
  return (
    <Shell setUp={null} step={null}>
      <Sorry title={title} text={text} />
    </Shell>
  );
}

function Sorry({ title, text }: { title: string; text: string }) {
  const t = useSetUpTexts();
  return (
    <Empty
      isPage
      title={title}
      act={
        <a className="button" href={BASE}>
          {t.signIn}
        </a>
      }
    >
      {text}
    </Empty>
  );
}
