import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { useFollowClock } from '../developers/use-clock.ts';
import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { Interruptions } from '../sign-in/interruptions-shown.tsx';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Sayings } from '../ui/say.tsx';
import { Empty, Waiting } from '../ui/states.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Crash } from './crash.tsx';
import { NetworkStrip } from './network.tsx';
import { ClockDialog, KeyboardHelp, loadOverlays, Overlay } from './overlays.tsx';
import { Palette } from './palette.tsx';
import { pageNamed, PAGES, type PageOfShop } from './pages.ts';
import { ShopMenu } from './shop-menu.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useTopOnMove } from './use-top-on-move.ts';
import { useWayToOwnShop } from './way-to-own-shop.ts';

/** How many pages the bar of a phone shows. It leads to the rest by one more button. */
const IN_BAR = 4;

/** The frame around each page: the shop and the search at the top, the pages at the side, or below on a phone. */
export function Frame() {
  const t = useTexts();
  const place = usePlace();
  const [path] = useLocation();
  const [overlay, setOverlay] = useState<'palette' | 'keyboard' | 'clock' | null>(null);
  const close = useCallback(() => setOverlay(null), []);
  useShortcuts({ onSearch: () => setOverlay('palette'), onHelp: () => setOverlay('keyboard') });

  const pages = PAGES.filter((page) => place.may(page.role));
  const name = path.split('/')[2] ?? '';
  const page = pageNamed(name);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (page !== undefined) document.title = `${t[page.name]} · ${place.shop.name}`;
  }, [page, place.shop.name, t]);
  useTopOnMove(main, path);
  useEffect(() => {
    const timer = setTimeout(loadOverlays, 1_000);
    return () => clearTimeout(timer);
  }, []);

  if (name === '') return <Redirect to={place.path(pages[0]!.name)} replace />;
  return (
    <div className={pages.length > 1 ? 'frame has-side' : 'frame'}>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <header className="top">
        <ShopMenu />
        <button
          type="button"
          className="search-button"
          aria-label={t.search}
          onClick={() => setOverlay('palette')}
        >
          <Icon name="search" size={18} />
          <span className="clip">{t.search}</span>
          <kbd aria-hidden="true">/</kbd>
        </button>
        <div className="top-end">
          {place.shop.sandbox && <Sandbox onMove={() => setOverlay('clock')} />}
          <OwnShop />
          <AccountMenu onHelp={() => setOverlay('keyboard')} />
        </div>
      </header>
      {pages.length > 1 && (
        <nav className="side" aria-label={t.pages}>
          <ul>
            {pages.map((one) => (
              <li key={one.name}>
                <Link href={place.path(one.name)} aria-current={one.name === name ? 'page' : undefined}>
                  <Icon name={one.icon} />
                  <span>{t[one.name]}</span>
                </Link>
              </li>
            ))}
            {pages.length > IN_BAR && (
              <li className="rest">
                <OtherPages pages={pages.slice(IN_BAR)} current={name} />
              </li>
            )}
          </ul>
        </nav>
      )}
      <main ref={main} id="main" className="page" tabIndex={-1}>
        <NetworkStrip />
        <Crash key={name}>
          <Suspense fallback={<Coming title={page === undefined ? t.console : t[page.name]} />}>
            {page === undefined ? <Nothing /> : place.may(page.role) ? <page.View /> : <NotYours />}
          </Suspense>
        </Crash>
      </main>
      <Overlay key={overlay}>
        {overlay === 'palette' && <Palette onClose={close} onHelp={() => setOverlay('keyboard')} />}
        {overlay === 'keyboard' && <KeyboardHelp onClose={close} />}
        {overlay === 'clock' && <ClockDialog onClose={close} />}
      </Overlay>
      <Interruptions />
      <Sayings />
    </div>
  );
}

/** On a phone, the pages that have no room in the bar. */
function OtherPages({ pages, current }: { pages: readonly PageOfShop[]; current: string }) {
  const t = useTexts();
  const { path } = usePlace();
  const [, go] = useLocation();
  const isHere = pages.some(({ name }) => name === current);
  return (
    <Menu
      className={isHere ? 'is-here' : ''}
      label={t.morePages}
      hasWords
      items={pages.map(({ name, icon }) => ({
        label: t[name],
        icon: <Icon name={icon} />,
        current: name === current,
        onPick: () => go(path(name)),
      }))}
    >
      <Icon name="more" />
      <span>{t.morePages}</span>
    </Menu>
  );
}

/** The way out of the demo for its owner, until there is a shop of one's own. On a phone it is in the account menu. */
function OwnShop() {
  const t = useTexts();
  const way = useWayToOwnShop();
  if (way === null) return null;
  return (
    <a className="own-shop" href={way}>
      {t.ownShop}
    </a>
  );
}

/** A sandbox is unmistakable: its own color, and the day on which its program believes to be. Owners can move it. */
function Sandbox({ onMove }: { onMove: () => void }) {
  const t = useTexts();
  const format = useFormat();
  const program = useProgram();
  const { may } = usePlace();
  useFollowClock();
  const day = program.data === undefined ? null : format.day(program.data.today);
  const title = day === null ? undefined : t.sandboxLong(day);
  const inside = (
    <>
      <Icon name="sandbox" size={16} />
      <span>{day === null ? t.sandbox : t.sandboxDay(day)}</span>
    </>
  );
  return may('owner') ? (
    <button type="button" className="sandbox" title={title} onClick={onMove}>
      {inside}
      <Icon name="down" size={16} />
    </button>
  ) : (
    <p className="sandbox" title={title}>
      {inside}
    </p>
  );
}

/** The page is on its way. Its name is there at once, for those who listen. */
function Coming({ title }: { title: string }) {
  return (
    <>
      <h1 className="unseen">{title}</h1>
      <Waiting tall />
    </>
  );
}

function Nothing() {
  const t = useTexts();
  return (
    <Empty isPage title={t.noPageTitle} act={<ToTill />}>
      {t.noPageText}
    </Empty>
  );
}

function NotYours() {
  const t = useTexts();
  const { shop } = usePlace();
  return (
    <Empty isPage title={t.notYoursTitle} act={<ToTill />}>
      {t.notYoursText(t.roles[shop.role])}
    </Empty>
  );
}

function ToTill() {
  const t = useTexts();
  const { path } = usePlace();
  return (
    <Link className="button main" href={path('till')}>
      {t.toTill}
    </Link>
  );
}
