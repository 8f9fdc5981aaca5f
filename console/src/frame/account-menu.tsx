import { initials } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { useSignOut } from './sign-out.tsx';
import { useWayToOwnShop } from './way-to-own-shop.ts';

/** The name of the person who is signed in, and the way to leave. */
export function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const t = useTexts();
  const { session, shop } = usePlace();
  const signOut = useSignOut();
  const ownShop = useWayToOwnShop();
  return (
    <Menu
      className="round"
      label={t.account}
      head={
        <div className="menu-head">
          <b>{session.name}</b>
          <span className="small">{session.email}</span>
          <span className="small">{t.roles[shop.role]}</span>
        </div>
      }
      items={[
        ...(ownShop === null
          ? []
          : [{ label: t.ownShop, icon: <Icon name="home" />, onPick: () => location.assign(ownShop) }]),
        { label: t.keyboard, icon: <Icon name="keyboard" />, onPick: onHelp },
        {
          label: t.signOut,
          hint: t.signOutHint,
          icon: <Icon name="leave" />,
          onPick: () => signOut.mutate({ everywhere: false }),
        },
        {
          label: t.signOutEverywhere,
          hint: t.signOutEverywhereHint,
          icon: <Icon name="leave" />,
          onPick: () => signOut.mutate({ everywhere: true }),
        },
      ]}
    >
      <span aria-hidden="true">{initials(session.name || session.email)}</span>
    </Menu>
  );
}
