import { ApiError } from '@loyalty/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClubPage } from './club.ts';
import { createFormat } from './format.ts';
import { Frame } from './frame.tsx';
import { Icon } from './ui/icon.tsx';
import { describeError } from './ui/problem.tsx';
import { useLoaded } from './use-loaded.ts';

/**
 * The page behind the link in a sign-in mail. It sends the link's secret only when the button is pressed, because mail
 * scanners open links too. It does not know whose link it is.
 */
export function LinkPage(props: {
  page: ClubPage;
  token: string;
  signedIn: boolean;
  onSignedIn: () => void;
  onLeave: () => void;
}) {
  const { page, signedIn } = props;
  const { t, client } = page;
  // The button does not wait for the logo.
  const { value: commerce } = useLoaded((signal) => client.getCommerce({ signal }));
  const [problem, setProblem] = useState<string | null>(null);
  const [dead, setDead] = useState(false);
  const [busy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = t.linkTitle(page.name);
  }, []);
  useEffect(() => {
    if (dead) heading.current?.focus();
  }, [dead]);

  async function press() {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await client.verifySignInLink(props.token);
      props.onSignedIn();
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.status === 400) setDead(true);
      else setProblem(describeError(error, t, createFormat(page.locale, page.timeZone, 'EUR')));
    }
  }

  return (
    <Frame
      t={t}
      name={page.name}
      category={commerce?.category_name ?? null}
      logo={commerce?.logo ?? null}
      shopLocale={page.shopLocale}
      narrow
      full
    >
      <section class="card door">
        <span class="badge large">
          <Icon name={dead ? 'clock' : 'mail'} size={26} />
        </span>
        <h1 ref={heading} tabIndex={-1}>
          {dead ? t.linkDeadTitle : t.linkTitle(page.name)}
        </h1>
        {dead ? (
          <>
            <p>{t.linkDead}</p>
            <button type="button" class="button main" onClick={props.onLeave}>
              {signedIn ? t.linkToClub : t.linkToCode}
            </button>
          </>
        ) : (
          <>
            <p>{t.linkText}</p>
            {signedIn && <p class="note">{t.linkReplaces}</p>}
            <button type="button" class="button main" aria-disabled={busy} onClick={() => void press()}>
              {t.signIn}
            </button>
            {problem !== null && (
              <p class="problem" role="alert">
                {problem}
              </p>
            )}
          </>
        )}
      </section>
    </Frame>
  );
}

/** Returns the secret of the link that was followed, and removes it from the address bar and the history. */
export function takeLinkToken(): string | null {
  const token = /^#link=(.*)$/.exec(location.hash)?.[1];
  if (token === undefined) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}
