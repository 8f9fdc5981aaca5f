import { userInfo } from 'node:os';
import type { Actor } from '#audit/audited.ts';

/** Returns who the audit names for what a command does at a commerce: the user of the operating system. */
export function commandLineActor(commerceId: number): Actor & { readonly kind: 'command_line' } {
  return { kind: 'command_line', commerceId, user: userName() };
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
