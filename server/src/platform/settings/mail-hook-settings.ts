import { createPublicKey, type KeyObject } from 'node:crypto';

/** The password and keys that tell the reports of the mail providers from forged ones. */
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
