import { useEffect } from 'preact/hooks';
import { BenefitCard } from './benefit-card.tsx';
import { ClubProvider, clubOf, type Place } from './club.ts';
import { formatOf } from './format.ts';
import { Frame } from './frame.tsx';
import { Problem, sentenceOf } from './problem.tsx';
import { SignIn } from './sign-in.tsx';
import { useLoaded } from './use-loaded.ts';
import { useHeadingFocus, useView } from './use-view.ts';

/** What anybody sees: the shop, what there is to get, and the way in. */
export function VisitorClub(props: { place: Place; sessionEnded: boolean; onSignedIn: () => void }) {
  const { place } = props;
  const { t, client } = place;
  const view = useView(['welcome', 'sign-in']);
  const { value, error, busy, reload } = useLoaded((signal) =>
    Promise.all([client.getCommerce({ signal }), client.listPublicBenefits({ signal })]),
  );
  const heading = useHeadingFocus(view, value !== null);
  useEffect(() => {
    document.title = view === 'sign-in' ? `${t.signInTitle} · ${place.name}` : place.name;
  }, [view]);

  const frame = { t, shopLocale: place.shopLocale };
  if (value === null)
    return (
      <Frame {...frame} name={place.name}>
        <h1 class="unseen">{place.name}</h1>
        {error === null ? (
          <p class="loading" role="status">
            {t.loading}
          </p>
        ) : (
          <Problem
            sentence={sentenceOf(error, t, formatOf(place.locale, place.timeZone, 'EUR'))}
            retry={t.retry}
            busy={busy}
            onRetry={() => void reload()}
          />
        )}
      </Frame>
    );

  const [commerce, benefits] = value;
  return (
    <ClubProvider value={clubOf(place, commerce)}>
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
