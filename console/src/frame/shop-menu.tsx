import { useLocation } from 'wouter';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { ShopLogo } from './shop-logo.tsx';

/** The shop where one is. It is a menu for people with several. */
export function ShopMenu() {
  const t = useTexts();
  const [, go] = useLocation();
  const { session, shop } = usePlace();
  const name = (
    <>
      <ShopLogo shop={shop} />
      <span className="clip">{shop.name}</span>
    </>
  );
  if (session.commerces.length === 1) return <p className="shop">{name}</p>;
  return (
    <Menu
      className="shop"
      label={t.shops}
      hasWords
      items={session.commerces.map((one) => ({
        label: one.name,
        hint: one.sandbox ? `${t.roles[one.role]} · ${t.sandbox}` : t.roles[one.role],
        icon: <ShopLogo shop={one} />,
        current: one.id === shop.id,
        onPick: () => go(`/${one.slug}`),
      }))}
    >
      {name}
      <span className="unseen">{t.shops}</span>
      <Icon name="chevrons" size={16} />
    </Menu>
  );
}
