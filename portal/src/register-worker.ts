/**
 * Registers the service worker, which opens the club without a network. The page works the same without it: in browsers
 * that have none, on pages without https, and if the operator has switched it off.
 */
export async function registerWorker(): Promise<void> {
  const path = document.querySelector<HTMLMetaElement>('meta[name="worker"]')?.content;
  if (!path || !('serviceWorker' in navigator)) return;
  // The page's policy takes the address of a script only from here.
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('club-worker', { createScriptURL: () => path });
  const address = (policy?.createScriptURL('') ?? path) as string;
  await navigator.serviceWorker.register(address, { scope: location.pathname });
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (text: string) => string },
  ): { createScriptURL(text: string): unknown };
}
