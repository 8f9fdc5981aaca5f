import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createSealer } from '#settings/sealer.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** Of the 24 to 64 that the specification allows. */
const SECRET_BYTES = 32;

/** For so long the secret before signs too, after it was replaced. */
export const OVERLAP_HOURS = 24;

/** The endpoint that a secret belongs to. */
export interface SecretOwner {
  readonly commerceId: number;
  readonly id: string;
}

/** Makes and reads the stored secrets of endpoints. */
export interface WebhookSecrets {
  /** Returns a new secret as the shop gets it, once, and as it is stored. */
  make(of: SecretOwner): { readonly shown: string; readonly stored: Buffer };
  /** Returns null if the key that it was stored with is not there any more. */
  open(stored: Buffer, of: SecretOwner): string | null;
  /** Returns the secret as the current key stores it; null if it is stored so, or cannot be read. */
  renew(stored: Buffer, of: SecretOwner): Buffer | null;
}

export function createWebhookSecrets(secret: SecretKeys): WebhookSecrets {
  const sealer = createSealer(secret, 'webhook secrets');
  const contextOf = ({ commerceId, id }: SecretOwner) => `webhooks/${commerceId}/${id}`;
  const show = (content: Buffer) => `whsec_${content.toString('base64')}`;
  return {
    make(of) {
      const content = randomBytes(SECRET_BYTES);
      return { shown: show(content), stored: sealer.seal(content, contextOf(of)) };
    },

    open(stored, of) {
      const opened = sealer.open(stored, contextOf(of));
      return opened && show(opened.content);
    },

    renew(stored, of) {
      const opened = sealer.open(stored, contextOf(of));
      return opened === null || opened.isCurrent ? null : sealer.seal(opened.content, contextOf(of));
    },
  };
}

/** What signs the requests to one endpoint, with each of its secrets. */
export type Signer = (id: string, at: Date, body: string) => Record<string, string>;

/** Creates a signer. It writes the headers of the specification. */
export function createSigner(secrets: readonly string[]): Signer {
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return (id, at, body) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': webhooks.map((webhook) => webhook.sign(id, at, body)).join(' '),
  });
}
