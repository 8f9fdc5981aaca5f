import {
  ApiError,
  createMemberClient,
  type Benefit,
  type Level,
  type MemberClient,
  type PendingPoints,
  type RedeemableBenefit,
  type ShopClient,
  type StampCard,
  type Tokens,
} from '@loyalty/sdk';
import { remember } from './remembered.ts';

export interface CustomerOptions {
  baseUrl: string;
  commerceId: number;
  /** A client whose key has the scope `sign_in`. */
  client: ShopClient;
  /** How many customers stay signed in in memory, 1,000 by default. */
  most?: number;
}

/** What a customer's account page shows. */
export interface CustomerAccount {
  points: number;
  /** The next points to expire; null if none do. */
  expiring: { points: number; on: string } | null;
  /** Points that wait, by the day from which on they can be spent. */
  waiting: PendingPoints[];
  /** Null if the program has no tiers, or the customer is on none. */
  tier: Level | null;
  stamps: StampCard[];
  /** What points can buy, dearest last. */
  catalog: Benefit[];
  /** The codes that can be used now, or will be. */
  codes: RedeemableBenefit[];
}

/** A token that ends within this time is not used any more. */
const MARGIN_MS = 60_000;

export type Customers = ReturnType<typeof createCustomers>;

/**
 * Signs customers of the shop in at the service, for whom the shop vouches. Pass only addresses that the customer has proved to the shop, and
 * who is signed in there now.
 */
export function createCustomers({ baseUrl, commerceId, client, most = 1_000 }: CustomerOptions) {
  const tokens = remember<Tokens>(most);
  return { signIn, readAccount };

  /**
   * Returns a client that acts as the customer; null for somebody who has never signed in at the service by mail. Show them the way to the members'
   * pages, or ask for a code with `requestOneTimeCode` of a member's client.
   */
  async function signIn(email: string): Promise<MemberClient | null> {
    const key = email.toLowerCase();
    try {
      await vouch(key);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && error.code === 'not_a_member') return null;
      throw error;
    }
    return createMemberClient({
      baseUrl,
      commerceId,
      tokens: {
        get: () => vouch(key),
        // There is nothing to renew: a token that is refused is forgotten, and the next call vouches anew.
        set: (next) => {
          if (next === null) tokens.forget(key);
        },
      },
    });
  }

  function vouch(email: string): Promise<Tokens> {
    return tokens.get(email, async () => {
      const { access, expires_in: seconds } = await client.vouchForMember(email);
      const forMs = seconds * 1_000 - MARGIN_MS;
      return { value: { access, refresh: 'none', expires_at: Date.now() + seconds * 1_000 }, forMs };
    });
  }

  /** Returns everything that an account page shows; null for somebody who has never signed in at the service by mail. */
  async function readAccount(email: string): Promise<CustomerAccount | null> {
    const member = await signIn(email);
    if (member === null) return null;
    const [account, waiting, tier, stamps, catalog, codes] = await Promise.all([
      member.getMyAccount(),
      member.listMyPending(),
      member.getMyLevel(),
      member.listMyStamps(),
      member.listAvailableBenefits(),
      member.listMyBenefits(),
    ]);
    const { points, points_expiration: next } = account;
    return {
      points,
      expiring:
        next === null || next.expiration_date === null || next.points === 0
          ? null
          : { points: next.points, on: next.expiration_date },
      waiting,
      tier,
      stamps,
      catalog: catalog.toSorted((one, other) => one.cost - other.cost),
      codes: codes.filter(({ used, due_date: due }) => !used && (due === null || new Date(due) > new Date())),
    };
  }
}
