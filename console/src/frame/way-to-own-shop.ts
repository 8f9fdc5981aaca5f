import { usePlace } from '../session.ts';

/** Where the owner of a demo makes a shop of their own; null if there is one, or the service sends its mails. */
export function useWayToOwnShop(): string | null {
  const { session, may } = usePlace();
  const { own_shop_url: way, commerces } = session;
  return may('owner') && commerces.every(({ sandbox }) => sandbox) ? way : null;
}
