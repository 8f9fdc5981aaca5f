import { isOneLine } from './plain-text.ts';

const LONGEST = 2048;

/** https; http for a developer's own machine only, so that no page of a shop mixes in what can be altered on the way. */
export function isWebAddress(text: string): boolean {
  if (!isOneLine(text, LONGEST) || /\s/.test(text)) return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
