import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** False as soon as the device has no network. True does not promise that the service can be reached. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

/** Says at once that there is no network. */
export function NetworkStrip() {
  const t = useTexts();
  const isOnline = useOnline();
  return (
    <div role="status" className="network">
      {!isOnline && (
        <p className="strip ending">
          <Icon name="offline" />
          <span>{t.offline}</span>
        </p>
      )}
    </div>
  );
}
