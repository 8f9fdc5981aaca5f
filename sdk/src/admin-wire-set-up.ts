/** What setting up a shop sends and gets. */

/** The steps after the address is proved, in order. */
export type SetUpStep = 'shop' | 'place' | 'points' | 'benefit' | 'open';

/** A kind of first benefit. */
export type FirstBenefit = 'product' | 'percentage' | 'amount' | 'none';

export interface SetUpLink {
  /** Whether somebody has proved an address with it. */
  is_opened: boolean;
  expires_at: string;
  /** Where mails are shown, on a developer's machine. Else they are sent. */
  mailbox_url: string | null;
}

/** What a person has answered so far. Null: not answered. */
export interface SetUpAnswers {
  /** The step to go on with. */
  step: SetUpStep | null;
  name: string | null;
  /** The name in links. Null: made of the shop's name. */
  slug: string | null;
  /** `#rrggbb` */
  color: string | null;
  /** ISO 4217. */
  currency: string | null;
  time_zone: string | null;
  /** The language of members: `en` or `es`, with or without a region. */
  locale: string | null;
  /** Currency units for one point. */
  money_per_point: number | null;
  benefit: FirstBenefit | null;
  /** The name of the benefit. Null: the suggested one. */
  title: string | null;
  /** The price of the benefit in points. Null: the suggested one. */
  cost: number | null;
}

/** A shop that somebody is setting up, with what follows from the answers. */
export interface SetUp {
  email: string;
  /** Until then, the person can leave and go on. */
  expires_at: string;
  answers: SetUpAnswers;
  /** The name in links that the shop would get. Null without a name. */
  slug: string | null;
  /** The address of the members' pages. */
  portal_url: string | null;
  /** What a small, a usual and a large purchase would earn. */
  examples: { amount: number; points: number }[];
  /** What the shop could begin with. */
  benefits: {
    kind: 'product' | 'percentage' | 'amount';
    title: string;
    cost: number;
    /** The percentage or the amount. */
    value: number | null;
    /** What a member spends for it. */
    spend: number;
  }[];
  /** The shop that it became. */
  shop: { id: number; slug: string } | null;
}
