/**
 * Returns the mailbox that a normalised address delivers to: without `+tag`, and without dots at the providers that
 * ignore them. The database has the same rule in `mailbox_of`.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  const [untagged = ''] = local.split('+', 1);
  const name = untagged === '' ? local : untagged;
  return IGNORE_DOTS.includes(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

/** Both names of Gmail lead to the same mailbox. */
const IGNORE_DOTS = ['gmail.com', 'googlemail.com'];
