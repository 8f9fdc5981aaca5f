/**
 * The what-if: a proposed program over the real ledger of a past range. `then` is what the ledger has, `now` what it would
 * have if the proposed program had been published at the beginning of the range. Points are whole numbers, days are local
 * days of the commerce, months are `YYYY-MM`.
 */
import type { Program } from './admin-wire-program.ts';

export interface WhatIfRequest {
  /** The complete program, as `getProgramModel` returns it. */
  program: Program;
  /** The first day. Twelve months ago by default. */
  from?: string | null;
  /** The last day. By default and on later days, everything up to this moment counts. */
  to?: string | null;
}

/** One line of the answer: its place while other shops come first, progress as long as it runs, then one result or one failure. */
export type WhatIfLine = WhatIfWaiting | WhatIfProgress | ({ type: 'result' } & WhatIf) | WhatIfFailure;

/** Other shops come first. */
export interface WhatIfWaiting {
  type: 'waiting';
  /** In the line of the shops that wait; 1 is next. */
  place: number;
}

export interface WhatIfProgress {
  type: 'progress';
  /** From 0 to 1. */
  done: number;
  /** Purchases that have been read so far. */
  purchases: number;
}

/** Something went wrong after the answer had begun. */
export interface WhatIfFailure {
  type: 'failure';
  /** `took_too_long`: a shorter range may do. */
  reason: 'failed' | 'took_too_long';
  message: string;
}

export interface ThenNow {
  then: number;
  now: number;
}

export interface WhatIf {
  /** The first and the last day that were replayed. */
  from: string;
  to: string;
  /** The version of the program that is in force. */
  base_version: number;
  /** Purchases of the range, and their amount. */
  purchases: number;
  amount: number;
  /** People with at least one purchase in the range. */
  buyers: number;
  points: WhatIfPoints;
  /** Every month of the range, in order. */
  months: WhatIfMonth[];
  /** The tiers of both programs, lowest first, then one line with `level_id: null` for no tier. */
  levels: WhatIfLevel[];
  liability: WhatIfLiability;
  impossible: WhatIfImpossible;
  /** The members whose balance changes most, at most 10. */
  members: WhatIfMember[];
  /** How many members have another balance or another tier. */
  members_changed: number;
  publishing: WhatIfPublishing;
  /** What the figures do not say: one sentence each. */
  warnings: string[];
}

/** All points of the range, by why the balance changed. */
export interface WhatIfPoints {
  /** By purchases. */
  earned: ThenNow;
  /** Of these, by purchases in periods of double points. */
  doubled: ThenNow;
  /** Taken back with purchases that were reversed. Not negative. */
  taken_back: ThenNow;
  /** By rewards and by hand, less what was taken by hand or ended with an erased person. */
  given: ThenNow;
  /** On benefits, less what was given back. */
  spent: ThenNow;
  expired: ThenNow;
}

export interface WhatIfMonth {
  month: string;
  purchases: number;
  earned: ThenNow;
  taken_back: ThenNow;
  expired: ThenNow;
}

export interface WhatIfLevel {
  level_id: string | null;
  /** As the proposed program names it, or the program in force if only that has it. */
  name: string | null;
  /** Earned by purchases whose buyer held this tier. */
  earned: ThenNow;
  /** Members who hold it at the end of the range. */
  members: ThenNow;
}

/** Points that can still be spent at the end of the range. */
export interface WhatIfLiability {
  points: ThenNow;
  /** People who have some. */
  people: ThenNow;
  /** The points by the month in which they end; `month: null` never end. */
  ends: { month: string | null; points: ThenNow }[];
}

/** What happened but could not have happened under the proposed program. It is left out of `now`. */
export interface WhatIfImpossible {
  /** Purchases that it refuses, such as those above its highest amount. */
  purchases: { count: number; amount: number };
  /** Benefits that could not have been paid for. */
  exchanges: { count: number; points: number };
  /** Returns that it refuses because the points were spent. */
  reversals: { count: number; amount: number };
  /** Points taken by hand that were not there. */
  adjustments: { count: number; points: number };
}

export interface WhatIfMember {
  member_id: number;
  /** Null if points wait for them, or if they are erased. */
  client_code: number | null;
  username: string | null;
  then: WhatIfStanding;
  now: WhatIfStanding;
}

/** A member at the end of the range. */
export interface WhatIfStanding {
  /** The balance. */
  points: number;
  /** Earned by purchases in the range, less what was taken back. */
  earned: number;
  level_id: string | null;
  level_name: string | null;
}

/** What publishing the program at this moment does to people at once. */
export interface WhatIfPublishing {
  /** One line for each kind of move, in the words of `loyalty apply`. */
  changes: string[];
  /** Members who move from one tier to another; null is no tier. */
  moves: { from: string | null; to: string | null; members: number }[];
  /** Members who get the benefit of a tier that they reach. */
  benefits: number;
  /** Points that get another last day. */
  redated: { members: number; points: number };
  /** All points that can be spent, by the month in which they end before and after publishing; null is never. */
  ends: { month: string | null; before: number; after: number }[];
}
