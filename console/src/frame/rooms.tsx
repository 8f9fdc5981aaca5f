import type { StaffCommerce, StaffSession } from '@loyalty/sdk/admin';
import { lazy, Suspense, useContext, useEffect, useMemo } from 'react';
import { Redirect, useLocation } from 'wouter';
import { clientAt } from '../api.ts';
import { createFormat, FormatContext } from '../format.ts';
import { languageOf, LocaleContext, pickLocale } from '../language.ts';
import { isAtLeast, PlaceContext, useSession, type Place } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { useShopClock } from './shop-clock.ts';
import { Frame } from './frame.tsx';
import { Plain } from './plain.tsx';
import { rememberShop, rememberedShop } from './remembered-shop.ts';
import { useShopColors } from './shop-colors.ts';
import { SignOutButton } from './sign-out.tsx';

const SetUp = lazy(() => import('../set-up/set-up-page.tsx'));
/** Anyone at work has signed in before, so the till does not wait for it. */
const SignInPage = lazy(() => import('../sign-in/sign-in-page.tsx'));

/** Leads to the set-up, to the sign-in, to the shop of the address, or to the person's last shop. */
export function Rooms() {
  const [path] = useLocation();
  return path.split('/')[1] === 'set-up' ? (
    <Suspense fallback={null}>
      <SetUp />
    </Suspense>
  ) : (
    <Shops />
  );
}

function Shops() {
  const session = useSession();
  if (session.data === undefined)
    return (
      <Plain>
        {session.isError ? (
          <Problem error={session.error} onRetry={() => void session.refetch()} />
        ) : (
          <Waiting rows={2} />
        )}
      </Plain>
    );
  if (session.data !== null) return <SignedIn session={session.data} />;
  return (
    <Suspense
      fallback={
        <Plain>
          <Waiting rows={2} />
        </Plain>
      }
    >
      <SignInPage />
    </Suspense>
  );
}

function SignedIn({ session }: { session: StaffSession }) {
  const t = useTexts();
  const [path] = useLocation();
  const slug = path.split('/')[1] ?? '';
  const shop = session.commerces.find((one) => one.slug === slug);
  if (shop !== undefined) return <AtShop key={`${shop.id} ${session.email}`} {...{ session, shop }} />;
  const [first] = session.commerces;
  if (first === undefined)
    return (
      <Plain>
        <Empty isPage title={t.noShopsTitle} act={<SignOutButton />}>
          {t.noShopsText}
        </Empty>
      </Plain>
    );
  const last = session.commerces.find((one) => one.slug === rememberedShop()) ?? first;
  if (slug === '') return <Redirect to={`/${last.slug}`} replace />;
  return (
    <Plain>
      <Empty
        isPage
        title={t.noShopTitle}
        act={
          <div className="acts">
            {session.commerces.slice(0, 5).map((one) => (
              <Redirecting key={one.id} shop={one} />
            ))}
            <SignOutButton />
          </div>
        }
      >
        {t.noShopText}
      </Empty>
    </Plain>
  );
}

function Redirecting({ shop }: { shop: StaffCommerce }) {
  const [, go] = useLocation();
  return (
    <button type="button" className="button main" onClick={() => go(`/${shop.slug}`)}>
      {shop.name}
    </button>
  );
}

/** Everything below it is at one shop: its colors, its currency, its time. */
function AtShop({ session, shop }: { session: StaffSession; shop: StaffCommerce }) {
  const outer = useContext(LocaleContext);
  // The region of the shop writes its numbers, if it has the reader's language.
  const locale = languageOf(outer) === languageOf(shop.locale) && !outer.includes('-') ? shop.locale : outer;
  const clock = useShopClock(shop.id);
  const format = useMemo(
    () => createFormat(pickLocale([locale]), shop.time_zone, shop.currency, clock),
    [locale, shop.time_zone, shop.currency, clock],
  );
  const place = useMemo<Place>(
    () => ({
      session,
      shop,
      api: clientAt(shop.id),
      path: (...parts) => `/${[shop.slug, ...parts].join('/')}`,
      may: (role) => isAtLeast(shop.role, role),
    }),
    [session, shop],
  );
  useShopColors(shop.color);
  useEffect(() => rememberShop(shop.slug), [shop.slug]);
  return (
    <PlaceContext value={place}>
      <LocaleContext value={locale}>
        <FormatContext value={format}>
          <Frame />
        </FormatContext>
      </LocaleContext>
    </PlaceContext>
  );
}
