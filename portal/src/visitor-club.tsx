import { useEffect } from 'preact/hooks';
import { BenefitCard } from './benefit-card.tsx';
import { ClubProvider, createClub, type ClubPage } from './club.ts';
import { createFormat } from './format.ts';
import { Frame } from './frame.tsx';
import { describeError, Problem } from './problem.tsx';
import { SignIn } from './sign-in.tsx';
import { useLoaded } from './use-loaded.ts';
import { useHeadingFocus, useView } from './use-view.ts';

/** The club as a visitor sees it: the shop, its benefits, and the sign-in. */
export function VisitorClub(props: { page: ClubPage; sessionEnded: boolean; onSignedIn: () => void }) {
  const { page } = props;
  const { t, client } = page;
  const view = useView(['welcome', 'sign-in']);
  const { value, error, busy, reload } = useLoaded((signal) =>
    Promise.all([client.getCommerce({ signal }), client.listPublicBenefits({ signal })]),
  );
  const heading = useHeadingFocus(view, value !== null);
  useEffect(() => {
    document.title = view === 'sign-in' ? `${t.signInTitle} · ${page.name}` : page.name;
  }, [view]);

  const frame = { t, shopLocale: page.shopLocale };
  if (value === null)
    return (
      <Frame {...frame} name={page.name}>
        <h1 class="unseen">{page.name}</h1>
        {error === null ? (
          <p class="loading" role="status">
            {t.loading}
          </p>
        ) : (
          <Problem
            sentence={describeError(error, t, createFormat(page.locale, page.timeZone, 'EUR'))}
            retry={t.retry}
            busy={busy}
            onRetry={() => void reload()}
          />
        )}
      </Frame>
    );

  const [commerce, benefits] = value;
  return (
    <ClubProvider value={createClub(page, commerce)}>
      <Frame
        {...frame}
        name={commerce.name}
        category={commerce.category_name}
        logo={commerce.logo}
        action={
          view === 'welcome' && (
            <a class="button on-brand" href="#sign-in">
              {t.signIn}
            </a>
          )
        }
      >
        {view === 'sign-in' ? (
          <SignIn heading={heading} sessionEnded={props.sessionEnded} onSignedIn={props.onSignedIn} />
        ) : (
          <>
            <section class="card welcome">
              <h1 ref={heading} tabIndex={-1}>
                {t.visitorTitle(commerce.name)}
              </h1>
              <p>{t.visitorText}</p>
              <a class="button main" href="#sign-in">
                {t.visitorAction}
              </a>
            </section>
            <h2>{t.visitorBenefits}</h2>
            {benefits.length === 0 && <p class="empty">{t.catalogNone}</p>}
            <ul class="cards">
              {benefits.map((benefit) => (
                <BenefitCard key={benefit.id} benefit={benefit} heading="h3" />
              ))}
            </ul>
          </>
        )}
      </Frame>
    </ClubProvider>
  );
}
