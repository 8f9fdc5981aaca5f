import type { CardWallets } from '@loyalty/sdk';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useClub } from './club.ts';
import { describeError } from './ui/problem.tsx';

const KINDS = ['apple', 'google'] as const;
type Kind = (typeof KINDS)[number];

/** Phones that cannot open the other maker's wallet. */
const OTHERS = { apple: /Android/, google: /iPhone|iPad/ } as const;

/** Buttons that add the member's card to the wallet of this phone. Shows nothing where there is no such wallet. */
export function WalletButtons() {
  const { client, t, f } = useClub();
  const [wallets, setWallets] = useState<CardWallets | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  // Ends with the view: nobody is taken to the wallet of a member who has left the card, or the phone.
  const ours = useMemo(() => new AbortController(), []);
  const { signal } = ours;
  useEffect(() => {
    // The buttons are no reason to ask a service again that does not answer.
    if (navigator.onLine) client.listMyWallets({ signal, attempts: 1 }).then(setWallets, () => {});
    return () => ours.abort();
  }, []);

  async function add(kind: Kind): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      // The addresses are good for five minutes, and the page may have been open for longer.
      const address = (await client.listMyWallets({ signal }))[kind];
      if (address !== null) location.assign(address);
    } catch (error) {
      setError(error);
    } finally {
      setBusy(false);
    }
  }

  const kinds = KINDS.filter((kind) => wallets?.[kind] && !OTHERS[kind].test(navigator.userAgent));
  if (kinds.length === 0) return null;
  return (
    <div class="wallets">
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          class="button wallet"
          aria-disabled={busy}
          onClick={() => void add(kind)}
        >
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path
              fill="currentColor"
              fill-rule="evenodd"
              d="M5 4h14a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3H5a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3M2 9h20v2.5H2M5 15h5v2H5"
            />
          </svg>
          {t.addToWallet[kind]}
        </button>
      ))}
      {error !== null && <p role="alert">{describeError(error, t, f)}</p>}
    </div>
  );
}
