import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from './ui/icon.tsx';
import type { Texts } from './texts/en.ts';

export interface Tab {
  readonly view: IconName;
  readonly label: string;
}

/** The frame of every view: the shop and the tabs, and below them the colored ground with the view's headline on it. */
export function Frame(props: {
  t: Texts;
  name: string;
  category?: string | null;
  logo?: string | null;
  shopLocale: string;
  tabs?: readonly Tab[];
  current?: string;
  action?: ComponentChildren;
  /** Says that the page is not up to date. */
  notice?: string | null;
  /** Stands on the ground. The first card overlaps its lower edge. */
  headline?: ComponentChildren;
  /** One column for forms and lists. */
  narrow?: boolean;
  /** The ground fills the screen. */
  full?: boolean;
  children: ComponentChildren;
}) {
  const { t, name, tabs = [], current } = props;
  const offline = useOffline();
  const notice = (offline || props.notice) && (
    <p class="offline" role="status">
      <Icon name="offline" size={18} />
      <span>
        {offline ? t.offline : t.noConnection} {props.notice}
      </span>
    </p>
  );
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
          {tabs.length > 0 && (
            <nav aria-label={t.nav}>
              <ul>
                {tabs.map(({ view, label }) => (
                  <li key={view} class={view === 'card' ? 'tab-card' : undefined}>
                    <a href={`#${view}`} aria-current={view === current ? 'page' : undefined}>
                      <Icon name={view} size={22} />
                      <span>{label}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        class={`${tabs.length > 0 ? 'has-tabs' : ''} ${props.full ? 'full' : ''}`}
      >
        <div class="ground">
          <div class={props.narrow ? 'wide narrow' : 'wide'}>
            {!props.full && notice}
            {props.headline}
          </div>
        </div>
        <div class={props.narrow ? 'wide narrow content' : 'wide content'}>
          {props.full && notice}
          {props.children}
        </div>
      </main>
      <p id="news" class="unseen" role="status" />
    </>
  );
}

/** The shop's logo, or the first letter of its name if there is no logo or it cannot be loaded. */
export function Logo({ src, name }: { src: string | null; name: string }) {
  const [broken, setBroken] = useState(false);
  if (src !== null && !broken)
    return <img class="logo" src={src} alt="" width="40" height="40" onError={() => setBroken(true)} />;
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
