/** The responses of `/admin/v1` about the mails that a shop sends to its members. */
import type { Program } from './admin-wire-program.ts';

/**
 * The mails that a program switches on or off. `expiring`: points are about to end; `level`: the member reached a tier;
 * `reward`: the member bought the most in a month. Sign-in codes are always sent.
 */
export type MessageKind = 'invitation' | 'welcome' | 'expiring' | 'birthday' | 'level' | 'reward';

/** The languages of mails. */
export type MessageLanguage = 'en' | 'es';

/** What is sent when, and what became of it. */
export interface Messages {
  /** The language in which members get their mails, by the commerce's locale. */
  language: MessageLanguage;
  /** The name that the mails come from. */
  sender: string;
  /** One of each kind, always in the same order. */
  messages: MessageState[];
}

export interface MessageState {
  kind: MessageKind;
  on: boolean;
  /**
   * Why none is sent although it may be on: the program has no such reward, its points do not expire, or it has no
   * tiers. Null if nothing is in the way.
   */
  idle: 'no_reward' | 'points_do_not_expire' | 'no_levels' | null;
  /** True if a member may stop this kind alone: it is no answer to what the person just did. */
  can_stop: boolean;
  /** How many were sent in the last 30 days. */
  sent: number;
  /** How many were not sent in the last 30 days: the mail server refused them, or the address is suppressed. */
  failed: number;
  last_sent_at: string | null;
}

/** A mail as a member would get it, with example values. */
export interface MessagePreview {
  /** The name and the line that a mailbox shows in its list. */
  from: string;
  subject: string;
  text: string;
  /** A whole HTML document without scripts. Show it in a sandboxed frame. */
  html: string;
}

/** Which mail to preview or to send to oneself. */
export interface MessageToPreview {
  kind: MessageKind;
  /** By default the language of the commerce's locale. */
  language?: MessageLanguage;
  /** A draft of the whole program. By default the program in force. */
  program?: Program;
}

/** Why nothing but sign-in codes is sent to an address. */
export interface MailSuppression {
  /** The mailbox does not exist, or its owner reported a mail as spam. */
  reason: 'bounce' | 'complaint';
  since: string;
}

/** What a member gets by mail. */
export interface MemberMail {
  suppression: MailSuppression | null;
  /** The kinds that the member has stopped. */
  stopped: MessageKind[];
}
