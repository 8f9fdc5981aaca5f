import { useEffect, useMemo, useState } from 'preact/hooks';
import { placeOf } from './club.ts';
import { MemberClub } from './member-club.tsx';
import { VisitorClub } from './visitor-club.tsx';

/** The club of one shop: for who has signed in their own, for anybody else the shop window. */
export function App() {
  const [ended, setEnded] = useState(false);
  const place = useMemo(() => placeOf(document, () => leave(true)), []);
  const [signedIn, setSignedIn] = useState(() => place.tokens.get() !== null);
  // Outlives a session that ends in the middle of a purchase, so that it goes on after signing in again.
  const [buying, setBuying] = useState<string | null>(null);

  function leave(byItself: boolean) {
    setEnded(byItself);
    setSignedIn(false);
    location.hash = byItself ? '#sign-in' : '';
  }

  useEffect(() => {
    document.documentElement.lang = place.locale;
    // Another tab has signed in or out.
    const follow = () => setSignedIn(place.tokens.get() !== null);
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);

  return signedIn ? (
    <MemberClub
      place={place}
      buying={buying}
      onBuying={setBuying}
      onSignOut={() => {
        setBuying(null);
        // Forgotten here at once; whether the service heard of it too changes nothing for the member.
        place.client.logOut().catch(() => undefined);
        leave(false);
      }}
    />
  ) : (
    <VisitorClub
      place={place}
      sessionEnded={ended}
      onSignedIn={() => {
        setEnded(false);
        setSignedIn(true);
        location.hash = '';
      }}
    />
  );
}
