import { useEffect, useMemo, useState } from 'preact/hooks';
import { readClubPage } from './club.ts';
import { LinkPage, takeLinkToken } from './link-page.tsx';
import { forgetNews } from './news.ts';
import { MemberClub } from './member-club.tsx';
import { VisitorClub } from './visitor-club.tsx';

/**
 * The club of one shop. A signed-in member sees their own club; anyone else sees the shop window. Anyone who follows the link in a sign-in
 * mail is asked first.
 */
export function App() {
  const [link, setLink] = useState(takeLinkToken);
  const [ended, setEnded] = useState(false);
  const page = useMemo(() => readClubPage(document, () => showVisitor({ sessionEnded: true })), []);
  const [signedIn, setSignedIn] = useState(() => page.device.tokens.get() !== null);
  const [hasChanged, setHasChanged] = useState(false);
  // Every sign-in has another name, so that nothing of the member before stays on the screen.
  const [session, setSession] = useState(page.device.session);
  // Kept here so that a purchase can continue after its session has ended and the same member has signed in again.
  const [buying, setBuying] = useState<{ member: string | null; benefitId: string } | null>(null);
  const member = page.device.member();

  function showVisitor({ sessionEnded }: { sessionEnded: boolean }) {
    setEnded(sessionEnded);
    setHasChanged(true);
    setSignedIn(false);
    forgetNews(page.commerceId);
    location.hash = sessionEnded ? '#sign-in' : '';
  }

  function showMember() {
    setEnded(false);
    setHasChanged(true);
    setSignedIn(true);
    setSession(page.device.session());
    location.hash = '';
  }

  useEffect(() => {
    document.documentElement.lang = page.locale;
    // Follows a sign-in or sign-out in another tab, also one that happened while this page was put aside.
    const follow = () => {
      setSignedIn(page.device.tokens.get() !== null);
      setSession(page.device.session());
    };
    // A link may also be pasted into the address bar of this page.
    const followLink = () => setLink((before) => takeLinkToken() ?? before);
    addEventListener('storage', follow);
    addEventListener('pageshow', follow);
    addEventListener('hashchange', followLink);
    return () => {
      removeEventListener('storage', follow);
      removeEventListener('pageshow', follow);
      removeEventListener('hashchange', followLink);
    };
  }, []);

  if (link !== null)
    return (
      <LinkPage
        key={link}
        page={page}
        token={link}
        signedIn={signedIn}
        onLeave={() => {
          location.hash = signedIn ? '' : '#sign-in';
          setHasChanged(true);
          setLink(null);
        }}
        onSignedIn={() => {
          if (signedIn) setBuying(null);
          setLink(null);
          showMember();
        }}
      />
    );
  return signedIn ? (
    <MemberClub
      key={session}
      page={page}
      buying={buying !== null && buying.member === member ? buying.benefitId : null}
      onBuying={(benefitId) => setBuying(benefitId === null ? null : { member, benefitId })}
      isNext={hasChanged}
      onSignOut={() => {
        setBuying(null);
        // The tokens are gone from the browser at once, so the member is signed out even if this call fails.
        page.client.logOut().catch(() => undefined);
        showVisitor({ sessionEnded: false });
      }}
    />
  ) : (
    <VisitorClub page={page} sessionEnded={ended} isNext={hasChanged} onSignedIn={showMember} />
  );
}
