import { isOneLine } from './plain-text.ts';

const LONGEST = 2048;

/** Accepts https, and http only for localhost, so that a shop's pages never load anything over an insecure connection. */
export function isWebAddress(text: string): boolean {
  if (!isOneLine(text, LONGEST) || /\s/.test(text)) return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
