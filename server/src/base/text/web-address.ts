import { isOneLine } from './plain-text.ts';

const LONGEST = 2048;

/** Accepts https, and http only for localhost, so that a shop's pages never load anything over an insecure connection. */
export function isWebAddress(text: string): boolean {
  if (!isOneLine(text, LONGEST) || /\s/.test(text)) return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Where the portal's content security policy lets pictures come from, besides the service itself. */
export const PICTURE_SOURCE = 'https:';

/** Accepts only pictures that the portal shows. Browsers load no picture from an address with a user name. */
export function isPictureAddress(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === PICTURE_SOURCE && username === '' && password === '';
}
