import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Texts } from './texts/en.ts';

export interface Tab {
  readonly view: string;
  readonly label: string;
}

/** The frame of every view: the shop, the tabs and the offline notice. */
export function Frame(props: {
  t: Texts;
  name: string;
  category?: string | null;
  logo?: string | null;
  shopLocale: string;
  tabs?: readonly Tab[];
  current?: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { t, name, tabs = [], current } = props;
  const offline = useOffline();
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        {t.skip}
      </a>
      <header class="shop">
        <div class="wide">
          <Logo key={props.logo} src={props.logo ?? null} name={name} />
          <div class="shop-words" lang={props.shopLocale}>
            <p class="shop-name">{name}</p>
            {props.category && <p class="shop-category">{props.category}</p>}
          </div>
          {props.action}
        </div>
      </header>
      {tabs.length > 0 && (
        <nav aria-label={t.nav}>
          <ul class="wide">
            {tabs.map(({ view, label }) => (
              <li key={view}>
                <a href={`#${view}`} aria-current={view === current ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {offline && (
        <p class="offline" role="status">
          {t.offline}
        </p>
      )}
      <main id="main" class="wide" tabIndex={-1}>
        {props.children}
      </main>
      <p id="news" class="unseen" role="status" />
    </>
  );
}

/** The shop's logo, or the first letter of its name if there is no logo or it cannot be loaded. */
function Logo({ src, name }: { src: string | null; name: string }) {
  const [broken, setBroken] = useState(false);
  if (src !== null && !broken)
    return <img class="logo" src={src} alt="" width="48" height="48" onError={() => setBroken(true)} />;
  return (
    <span class="logo" aria-hidden="true">
      {String.fromCodePoint(name.trim().codePointAt(0) ?? 0).toLocaleUpperCase()}
    </span>
  );
}

function useOffline(): boolean {
  const [offline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const update = () => setOffline(!navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return offline;
}

/** Focuses the content without following the link, because the part of the address after `#` names the view. */
function skipToMain(event: Event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
