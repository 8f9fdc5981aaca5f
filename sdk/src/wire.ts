/**
 * The responses of the service, with the names of the API. Every field is always present, and null if it is empty.
 * Times are ISO 8601 strings.
 */

export interface Message {
  message: string;
}

export interface Client {
  code: number;
  username: string;
  email: string;
  /** The available balance at the commerce. */
  points: number | null;
}

export interface ClientPage {
  items: Client[];
  /** The number of clients on all pages. */
  total: number | null;
  limit: number | null;
  offset: number | null;
}

export type BenefitKind = 'percentage_discount' | 'absolute_discount' | 'free_product';

export interface Benefit {
  /** The `benefit_id`. */
  id: string;
  type: BenefitKind;
  description: string;
  /** The price in points. */
  cost: number;
  expiration: string | null;
  /** `normal` is for sale. The others are automatic rewards. */
  benefit_type: 'normal' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  /** `#rrggbb` */
  color: string | null;
  /** The total number that can be bought. 0 means no limit. */
  buy_limit: number | null;
  prize: Prize | null;
  shop_coupon: ShopCoupon | null;
}

/** The result of looking up a code. The fields that a till needs are at the top level. */
export interface BenefitV2 extends Benefit {
  title: string;
  /** A percentage or an amount, depending on `type`. */
  value: number | null;
  product: Product | null;
}

export interface Prize {
  type: BenefitKind;
  title: string | null;
  description: string | null;
  /** A percentage or an amount, depending on `type`. */
  value: number | null;
  product: Product | null;
  expiration: string | null;
  image: string | null;
}

export interface Product {
  id: number | string | null;
  name: string | null;
  /** The id in the commerce's own system. */
  external_id: string | null;
}

export interface ShopCoupon {
  type: 'percentage' | 'absolute' | 'shipping';
  value: number;
  category: string | null;
  category_name: string | null;
  end_date: string | null;
  product: ShopProduct | null;
}

export interface ShopProduct {
  shop_id: number | null;
  name: string | null;
  url: string | null;
  available: boolean | null;
  published: boolean | null;
  brand: string | null;
  categories: { id: number | string | null; name: string | null }[];
}

/** A benefit that a member has. */
export interface RedeemableBenefit {
  /** The redemption code, which is also the coupon code in an online store. */
  client_benefit_code: number;
  issue_date: string;
  /** The last time at which it can be redeemed, or null if it does not expire. */
  due_date: string | null;
  used: boolean;
  benefit: Benefit;
}

/** A purchase that was recorded. */
export interface RecordedConsumption extends Message {
  /** The id to look up or reverse the purchase. */
  consumption_id: number;
  /** The points that the purchase earned. Null from a service of release 0.1. */
  points_earned: number | null;
  /**
   * The balance right after the purchase, or what waits for an address without an account. Null if the call repeats a purchase
   * that was imported, or that release 0.1 recorded.
   */
  points_balance: number | null;
  /** True if the call repeats a purchase that was recorded before, with the same key or the same `external_id`. */
  replayed: boolean;
}

/** How the points of a purchase are computed. */
export interface ConsumptionPreview {
  points: number;
  /** Before double points and the tier's multiplier. */
  base_points: number;
  double_points: boolean;
  level_multiplier: number;
  /** The computation as a sentence in the commerce's language. */
  explanation: string;
}

export interface Consumption extends ConsumptionPreview {
  id: number;
  /** Null while the points wait for a person without an account. */
  client_code: number | null;
  date: string;
  amount: number;
  counter_id: number | null;
  id_suc: number | null;
  /** The shop's own id of the purchase, if it gave one. */
  external_id: string | null;
  reversed_amount: number;
  reversed_points: number;
}

/** A page of purchases, newest first. */
export interface ConsumptionPage {
  results: Consumption[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** A client as an export shows them. */
export interface ExportedMember {
  client_code: number | null;
  /** Null for an erased person. */
  email: string | null;
  username: string | null;
  birth_date: string | null;
  phone: string | null;
  /** The balance, without points that have expired. */
  points: number;
  state: 'member' | 'left' | 'blocked' | 'erased';
  enrolled_at: string | null;
  lifetime_points: number;
  lifetime_amount: number;
  purchases: number;
  /** The name of the tier. */
  level: string | null;
}

/** A change of a balance as an export shows it. */
export interface ExportedMovement {
  /** For a consumption, its consumption_id. */
  id: number;
  date: string;
  type:
    | 'consumption'
    | 'reversal'
    | 'benefit_exchange'
    | 'benefit_returned'
    | 'benefit_usage'
    | 'reward'
    | 'adjustment'
    | 'expiry';
  /** Null while points wait for a person without an account. */
  client_code: number | null;
  client_email: string | null;
  points: number;
  amount: number | null;
  counter_id: number | null;
  id_suc: number | null;
  external_id: string | null;
  /** The consumption that was reversed. */
  reverses_id: number | null;
  client_benefit_code: number | null;
  event: string | null;
  note: string | null;
}

export interface ConsumptionReversal extends Message {
  /** The reversed amount in whole currency units. */
  amount: number;
  /** The points that were taken from the balance. */
  points: number;
}

export interface Commerce {
  /** The value of `X-Commerce-Id`. */
  id: number;
  name: string;
  logo: string | null;
  /** `#rrggbb` */
  color: string | null;
  category_name: string | null;
  currency: string | null;
}

/** The rules of a program, as the shop tells them to visitors. */
export interface PublicProgram {
  /** The headline of the shop's page. */
  tagline: string | null;
  /** The URL of a large picture. */
  cover: string | null;
  /** `#rrggbb` */
  color: string | null;
  /** BCP 47 */
  locale: string;
  /** IANA */
  time_zone: string;
  earning: {
    /** Currency units for one point. */
    money_per_point: number;
    /** The periods of double points that have not ended, the earliest first. */
    double_points: DoublePoints[];
  };
  points_expiration: {
    mode: 'none' | 'rolling' | 'accumulated';
    /** Null if points do not expire. */
    months: number | null;
  };
  /** Null if the program has no tiers. */
  levels: {
    threshold_type: 'points' | 'amount';
    ladder: PublicLevel[];
  } | null;
  rewards: {
    welcome: PublicReward | null;
    birthday: PublicReward | null;
    monthly_top: PublicReward | null;
  };
}

export interface DoublePoints {
  from: string;
  /** This instant is no longer part of the period. */
  to: string;
  is_open: boolean;
}

/** A tier of the ladder. The lowest comes first. */
export interface PublicLevel {
  id: string;
  rank: number;
  name: string;
  threshold: number;
  points_multiplier: number;
  icon_url: string | null;
  /** What a member gets on reaching the tier. */
  benefit: Benefit | null;
}

/** A reward gives either points or a benefit. */
export interface PublicReward {
  points: number | null;
  benefit: Benefit | null;
}

export interface Session extends RefreshedSession {
  user_id: number;
  username: string | null;
  email: string | null;
  phone: string | null;
}

export interface RefreshedSession {
  access: string;
  refresh: string;
  /** The number of seconds for which the access token is valid. */
  expires_in: number;
}

export interface MyAccount {
  username: string | null;
  email: string | null;
  phone: string | null;
  points: number;
  subscribed: boolean;
  commerce: Commerce | null;
  points_expiration: PointsExpiration | null;
}

/** The points that expire on the next expiry date. */
export interface PointsExpiration {
  points: number;
  expiration_date: string | null;
  days_left: number | null;
  months_left: number | null;
  /** `none` means that points do not expire. */
  mode: 'none' | 'rolling' | 'accumulated' | null;
}

export interface MyCard {
  /** Nine digits, for the till. */
  client_code: number;
  username: string | null;
}

export interface CardWallets {
  /** Opens Google Wallet with the member's card. Null where the service does not offer it. */
  google: string | null;
  /** The member's card as a package for Apple Wallet. Null where the service does not offer it. */
  apple: string | null;
}

export interface MyProfile {
  username: string | null;
  /** E.164 */
  phone: string | null;
  /** `YYYY-MM-DD` */
  birth_date: string | null;
}

/** The mails that a member gets, if the shop sends them. Sign-in codes always come. */
export interface MyMails {
  /** When points wait for somebody who has not joined, or has left. */
  invitation: boolean;
  /** Before points expire. */
  expiring: boolean;
  birthday: boolean;
  /** When a tier is reached. */
  level: boolean;
  /** When a reward is given. */
  reward: boolean;
}

export interface ExpiringPoints {
  points: number;
  expiration_date: string;
  days_left: number;
  months_left: number;
}

/** The tier of a member. Progress counts the lifetime figures, not the balance. */
export interface Level {
  name: string | null;
  rank: number | null;
  points_multiplier: number | null;
  icon_url: string | null;
  reached_at: string | null;
  expiration_date: string | null;
  is_expired: boolean | null;
  next_level: NextLevel | null;
  total_earned_points: number | null;
  total_spent_amount: number | null;
  total_consumptions_count: number | null;
}

export interface NextLevel {
  name: string | null;
  rank: number | null;
  /** Says whether `threshold` is compared with `total_earned_points` or `total_spent_amount`. */
  threshold_type: 'points' | 'amount' | null;
  threshold: number | null;
}

export interface ActivityItem {
  type: 'consumption' | 'benefit_exchange' | 'benefit_usage' | 'points_special_reward';
  date: string | null;
  /** Positive if points were added, negative if they were subtracted. */
  points: number | null;
  benefit: Benefit | null;
  amount: number | null;
  event: string | null;
  additional_note: string | null;
}

/** An entry of the history that also says what happened, and what increased the points of a purchase. */
export interface HistoryItem extends ActivityItem {
  kind: 'purchase' | 'return' | 'exchange' | 'give_back' | 'usage' | 'reward' | 'adjustment' | 'expiry';
  factors: string | null;
}

/** A page of benefits that were used or have expired, newest first. */
export interface PastBenefitsPage {
  results: RedeemableBenefit[];
  /** Null on the last page. */
  next_cursor: string | null;
}

export interface ActivityPage {
  results: ActivityItem[];
  /** Null on the last page. */
  next_cursor: string | null;
  previous_cursor: string | null;
}

export interface HistoryPage {
  results: HistoryItem[];
  /** Null on the last page. */
  next_cursor: string | null;
  previous_cursor: string | null;
}

/** A reward that the commerce configured. */
export interface AutomaticReward {
  event: 'welcome' | 'birthday' | 'monthly_top';
  reward_type: 'benefit' | 'points';
  benefit: Benefit | null;
  points: number | null;
}

export interface JoinResult extends Message {
  welcome_benefit: Benefit | null;
  welcome_points: number | null;
}
