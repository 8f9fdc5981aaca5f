import { domainToASCII } from 'node:url';

/**
 * Returns the only form in which a mail address is stored, compared and used: trimmed, in lower case, with the domain
 * in IDNA. Returns null if the text is not an address. This is stricter than RFC 5321 on purpose: mail libraries
 * disagree about the recipient of quoted local parts, comments and groups. Dots and plus signs are kept.
 */
export function normaliseEmail(text: string): string | null {
  if (text.length > LONGEST_TEXT) return null;
  const address = text.trim();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  if (at < 1 || local.length > 64 || !DOT_ATOM.test(local)) return null;
  const domain = asciiDomain(address.slice(at + 1));
  if (domain === null) return null;
  const normal = `${local}@${domain}`.toLowerCase();
  return normal.length <= 254 ? normal : null;
}

const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

// `domainToASCII` takes time that grows with the square of a label's length, 40 ms for 5,300 characters, so lengths are
// checked first. IDNA makes a text shorter where it composes characters: at most four become one, and each of those
// takes at least one of the 63 characters of a label. The trimmed text therefore has at most 64 + 1 + 4 × 253 characters.
const LONGEST_LABEL = 4 * 63;
const LONGEST_DOMAIN = 4 * 253;
const LONGEST_TEXT = 1_100;
const DOTS = /[.\u3002\uff0e\uff61]/;

/** Returns a host name of at least two labels, or null. Unlike `domainToASCII`, refuses percent escapes and IPv4. */
function asciiDomain(text: string): string | null {
  if (text.length > LONGEST_DOMAIN || text.split(DOTS).some((label) => label.length > LONGEST_LABEL))
    return null;
  if (!/^[A-Za-z0-9.\u0080-\u{10ffff}-]+$/u.test(text)) return null;
  const domain = domainToASCII(text).toLowerCase();
  const labels = domain.split('.');
  if (domain.length > 253 || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? null : domain;
}

/** Tells the developer who sent it what is wrong with a text that `normaliseEmail` rejects. */
export function whyNoEmail(text: string): string {
  if (text.length > LONGEST_TEXT) return 'The email address is too long.';
  const address = text.trim();
  const at = address.lastIndexOf('@');
  if (at === -1) return 'An email address must have an @-sign.';
  if (at === 0) return 'There must be something before the @-sign.';
  if (at === address.length - 1) return 'There must be something after the @-sign.';
  if (address.length > 254) return 'The email address is too long.';
  const domain = address.slice(at + 1);
  if (!DOTS.test(domain)) {
    return 'The part after the @-sign is not valid. It should have a period.';
  }
  return asciiDomain(domain) === null
    ? 'The part after the @-sign is not valid.'
    : 'The part before the @-sign is not valid.';
}
