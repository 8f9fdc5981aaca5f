import { useEffect, useMemo, useState } from 'preact/hooks';
import { readClubPage } from './club.ts';
import { MemberClub } from './member-club.tsx';
import { VisitorClub } from './visitor-club.tsx';

/** The club of one shop. A signed-in member sees their own club; anyone else sees the shop window. */
export function App() {
  const [ended, setEnded] = useState(false);
  const page = useMemo(() => readClubPage(document, () => showVisitor({ sessionEnded: true })), []);
  const [signedIn, setSignedIn] = useState(() => page.tokens.get() !== null);
  // Kept here so that a purchase can continue after its session has ended and the member has signed in again.
  const [buying, setBuying] = useState<string | null>(null);

  function showVisitor({ sessionEnded }: { sessionEnded: boolean }) {
    setEnded(sessionEnded);
    setSignedIn(false);
    location.hash = sessionEnded ? '#sign-in' : '';
  }

  useEffect(() => {
    document.documentElement.lang = page.locale;
    // Follows a sign-in or sign-out in another tab.
    const follow = () => setSignedIn(page.tokens.get() !== null);
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);

  return signedIn ? (
    <MemberClub
      page={page}
      buying={buying}
      onBuying={setBuying}
      onSignOut={() => {
        setBuying(null);
        // The tokens are gone from the browser at once, so the member is signed out even if this call fails.
        page.client.logOut().catch(() => undefined);
        showVisitor({ sessionEnded: false });
      }}
    />
  ) : (
    <VisitorClub
      page={page}
      sessionEnded={ended}
      onSignedIn={() => {
        setEnded(false);
        setSignedIn(true);
        location.hash = '';
      }}
    />
  );
}
