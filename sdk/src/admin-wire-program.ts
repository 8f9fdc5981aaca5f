/** The program as its owner edits it: the responses of `/admin/v1/program/…`. */
import type { MessageKind } from './admin-wire-messages.ts';
import type { Cause, Factor } from './admin-wire.ts';
import type { BenefitKind } from './wire.ts';

/** The whole program of a commerce. It is the model of the program file with every default filled in. */
export interface Program {
  /** Cannot be changed. */
  slug: string;
  name: string;
  /** Cannot be changed. */
  sandbox: boolean;
  status: 'active' | 'paused';
  logo: string | null;
  /** `#rrggbb` */
  color: string | null;
  category_name: string | null;
  tagline: string | null;
  cover: string | null;
  /** ISO 4217. */
  currency: string;
  time_zone: string;
  locale: string;
  earning: {
    money_per_point: number;
    max_amount: number;
    returns: 'negative' | 'clamp' | 'refuse';
    double_points: { from: string; to: string }[];
  };
  points_expiration: { mode: 'none' | 'rolling' | 'accumulated'; months: number | null };
  levels: {
    threshold_type: 'points' | 'amount';
    valid_months: number | null;
    /** Lowest first. */
    ladder: ProgramTier[];
  };
  /** In the order of the catalog. A benefit that is left out is withdrawn. */
  benefits: ProgramBenefit[];
  codes: { max_unused: number };
  step_up_points: number;
  rewards: {
    welcome: ProgramReward | null;
    birthday: ProgramReward | null;
    monthly_top: (ProgramReward & { settle_days: number }) | null;
  };
  mail: {
    sender: string | null;
    /** What `messages.expiring` is where it is null. */
    reminders: boolean;
    messages: { [Kind in MessageKind]: Kind extends 'expiring' ? boolean | null : boolean };
    /** What the shop itself says in a mail. */
    words: Record<MessageKind, { en: string | null; es: string | null } | null> | null;
  };
}

export interface ProgramTier {
  /** Null for a new tier: it then gets an id made from its name. */
  id: string | null;
  name: string;
  threshold: number;
  points_multiplier: number;
  icon_url: string | null;
  /** The id of a benefit whose `benefit_type` is `level`. */
  benefit: string | null;
}

/** Either points or the id of a benefit of its kind. */
export interface ProgramReward {
  points: number | null;
  benefit: string | null;
}

export interface ProgramBenefit {
  id: string;
  benefit_type: 'normal' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  type: BenefitKind;
  title: string;
  description: string;
  cost: number;
  value: number | null;
  product: { id: number | string | null; name: string | null; external_id: string | null } | null;
  color: string | null;
  image: string | null;
  expiration: string | null;
  valid_days: number | null;
  /** 0 means no limit. */
  buy_limit: number;
  on_sale: boolean;
  shop_coupon: {
    type: 'percentage' | 'absolute' | 'shipping';
    value: number;
    category: string | null;
    category_name: string | null;
    end_date: string | null;
    product: {
      shop_id: number | null;
      name: string | null;
      url: string | null;
      available: boolean | null;
      published: boolean | null;
      brand: string | null;
      categories: { id: number | string | null; name: string | null }[];
    } | null;
  } | null;
}

/** The program that is in force. */
export interface ProgramInForce {
  version: number;
  in_force_at: string;
  /** Null if that is not known: an older release did not note it. */
  by: Cause | null;
  program: Program;
}

/** What publishing a draft would do, and what stands in its way. Nothing was changed. */
export interface ProgramCheck {
  /** Empty if the program can be published. */
  problems: ProgramProblem[];
  /** What the draft changes in the version that it began from, one line each. Empty while there are problems. */
  changes: string[];
  /** What others have changed since that version. Empty if it is still in force. */
  changed_meanwhile: string[];
  /** Parts of the program that have no effect, and changes that earlier purchases do not follow. */
  warnings: string[];
  current_version: number;
}

export interface ProgramProblem {
  /** Such as `benefits[0].cost`. Empty if it concerns the whole program. */
  path: string;
  message: string;
}

/** What a purchase would earn now under a proposed program. */
export interface TriedPurchase {
  /** The last day of its points. Null if they never end. */
  expires_on: string | null;
  levels: {
    /** Null for somebody without a tier. */
    name: string | null;
    /** Null if that is more than can be counted. */
    points: number | null;
    /** The steps of the arithmetic, in order. */
    factors: Factor[];
  }[];
}

/** A draft that was published. */
export interface PublishedProgram {
  /** The version in force now. It stays the same if nothing was changed. */
  version: number;
  /** What was changed, one line each, and how many members moved. */
  changes: string[];
  warnings: string[];
}

export interface ProgramVersions {
  /** Newest first. */
  results: ProgramVersionLine[];
  next_cursor: string | null;
}

export interface ProgramVersionLine {
  version: number;
  in_force_at: string;
  by: Cause | null;
  /** What the author wrote about it. */
  note: string | null;
  /** The number of changes from the version before it. */
  changes: number;
}

/** One version, with its differences. */
export interface ProgramVersion {
  version: number;
  in_force_at: string;
  by: Cause | null;
  note: string | null;
  program: Program;
  /** What it changed in the version before it, one line each, and how many members moved. */
  changes: string[];
  /** What going back to it would change now, one line each. */
  changes_from_now: string[];
}

/** A program as a file in YAML. */
export interface ProgramFile {
  text: string;
}

/** What a program file says. */
export interface ProgramFileRead {
  /** Null if the file has problems. */
  program: Program | null;
  problems: ProgramFileProblem[];
}

export interface ProgramFileProblem extends ProgramProblem {
  /** Both count from 1. */
  line: number;
  column: number;
}

/** A picture that was uploaded for the program. */
export interface UploadedPicture {
  /** What the program says in `logo`, `cover`, `image` or `icon_url`. */
  picture: string;
  /** Where anyone can load it. */
  url: string;
  /** The same with at most 400 pixels on the longer side. */
  small_url: string;
  /** Of the large one, in pixels. */
  width: number;
  height: number;
}
