/** The mails that a program switches on or off. */
import type { Program } from './program.ts';

export const MESSAGE_KINDS = ['invitation', 'welcome', 'expiring', 'birthday', 'level', 'reward'] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Returns true if members get this mail. Programs of before have only the switch for reminders. */
export function isMessageOn({ mail }: Pick<Program, 'mail'>, kind: MessageKind): boolean {
  return kind === 'expiring' ? (mail.messages.expiring ?? mail.reminders) : mail.messages[kind];
}

/** Returns true if a member may stop this mail. The welcome answers what the person just did, and comes once. */
export function canStop(kind: MessageKind): boolean {
  return kind !== 'welcome';
}

/** Why a mail is never sent, even if it is switched on. */
export type NoMessage = 'no_reward' | 'points_do_not_expire' | 'no_levels';

/** Returns why the rest of a program never causes this mail; null if it does. */
export function whyNoMessage(
  {
    rewards,
    levels,
    points_expiration: expiration,
  }: Pick<Program, 'rewards' | 'levels' | 'points_expiration'>,
  kind: MessageKind,
): NoMessage | null {
  switch (kind) {
    case 'birthday':
      return rewards.birthday === null ? 'no_reward' : null;
    case 'reward':
      return rewards.monthly_top === null ? 'no_reward' : null;
    case 'expiring':
      return expiration.mode === 'none' || expiration.months === null ? 'points_do_not_expire' : null;
    case 'level':
      return levels.ladder.length === 0 ? 'no_levels' : null;
    default:
      return null;
  }
}
