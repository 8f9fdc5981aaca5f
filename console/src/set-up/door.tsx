import type { SetUp } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { useLocation } from 'wouter';
import { isCode } from '../api.ts';
import { LocaleContext } from '../language.ts';
import { BASE } from '../place.ts';
import { CodeForm } from '../sign-in/code-form.tsx';
import { EmailForm } from '../sign-in/email-form.tsx';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
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
          <EmailForm
            typed={typed}
            onType={setTyped}
            send={send}
            onSent={setEmail}
            sayWhy={(error) => (isCode(error, 'set_up_link_taken') ? t.taken : null)}
          />
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
