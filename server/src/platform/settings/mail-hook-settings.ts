import { createPublicKey, type KeyObject } from 'node:crypto';

/** The secrets that the operator has agreed with the mail providers, so that their reports can be told from others. */
export interface MailHookSettings {
  /** The password of the hooks. */
  readonly secret: string | null;
  /** The verification key of SendGrid's signed events, as SendGrid shows it. */
  readonly sendgridKey: string | null;
  /** The signing key of Mailgun's webhooks. */
  readonly mailgunKey: string | null;
}

/** Reads a key as SendGrid shows it. @throws if it is none */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}
