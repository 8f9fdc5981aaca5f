import { useEffect } from 'preact/hooks';
import { ClubProvider, createClub, type ClubPage } from './club.ts';
import { createFormat } from './format.ts';
import { Frame } from './frame.tsx';
import { Waiting } from './history.tsx';
import { describeError, Problem } from './ui/problem.tsx';
import { ShopWindow, ShopWindowHeadline } from './shop-window.tsx';
import { SignIn } from './sign-in.tsx';
import { useLoaded } from './use-loaded.ts';
import { useHeadingFocus, useView } from './use-view.ts';

/** The club as a visitor sees it: the shop window and the sign-in. */
export function VisitorClub(props: {
  page: ClubPage;
  sessionEnded: boolean;
  /** True if it takes the place of something else, as after a sign-out. */
  isNext: boolean;
  onSignedIn: () => void;
}) {
  const { page } = props;
  const { t, client } = page;
  const view = useView(['welcome', 'sign-in']);
  const { value, error, busy, reload } = useLoaded(async (signal) => {
    const [commerce, benefits, program] = await Promise.all([
      client.getCommerce({ signal }),
      client.listPublicBenefits({ signal }),
      client.getProgram({ signal }),
    ]);
    const { rules } = program.earning.has_rules ? await client.getEarningRules({ signal }) : { rules: [] };
    return { commerce, benefits, program, rules };
  });
  const heading = useHeadingFocus(view, value !== null, props.isNext);
  useEffect(() => {
    document.title = view === 'sign-in' ? `${t.signInTitle} · ${page.name}` : page.name;
  }, [view]);

  const frame = { t, shopLocale: page.shopLocale };
  if (value === null)
    return (
      <Frame {...frame} name={page.name}>
        <h1 class="unseen">{page.name}</h1>
        {error === null ? (
          <Waiting t={t} />
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

  const { commerce } = value;
  const isDoor = view === 'sign-in';
  return (
    <ClubProvider value={createClub(page, commerce)}>
      <Frame
        {...frame}
        name={commerce.name}
        category={commerce.category_name}
        logo={commerce.logo}
        narrow={isDoor}
        full={isDoor}
        headline={!isDoor && <ShopWindowHeadline heading={heading} window={value} />}
        action={
          !isDoor && (
            <a class="button on-ground compact" href="#sign-in">
              {t.signIn}
            </a>
          )
        }
      >
        {isDoor ? (
          <SignIn heading={heading} sessionEnded={props.sessionEnded} onSignedIn={props.onSignedIn} />
        ) : (
          <ShopWindow window={value} />
        )}
      </Frame>
    </ClubProvider>
  );
}
