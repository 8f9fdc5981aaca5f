import type { WebhookRequest } from './wire.ts';

/** The request is not from the service, or too old. Answer 401 and do nothing else. */
export class WebhookRefused extends Error {
  override name = 'WebhookRefused';
}

/** The headers of a request: those of `fetch`, or an object with names in lower case, as Node has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** A request that is older, or newer, is refused, so that nobody can send it again later. */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies a request of a webhook by Standard Webhooks and returns what it sends. Pass the body as it arrived, before anything has parsed
 * it. The signature is compared in constant time.
 * @param secret the text that begins with `whsec_`; several while you change over
 * @throws WebhookRefused
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<WebhookRequest> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
  if (!(Math.abs(Date.now() / 1000 - seconds) <= TOLERANCE_SECONDS))
    throw new WebhookRefused('webhook-timestamp is more than five minutes away from now');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const given = signatures
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? [signature.slice(3)] : []));
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importSecret));
  for (const key of keys)
    for (const signature of given.slice(0, 10))
      if (await isSigned(key, signature, signed)) return JSON.parse(text) as WebhookRequest;
  throw new WebhookRefused('no signature is right');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new WebhookRefused(`the header ${name} is missing`);
  return value;
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === null) throw new TypeError('the secret of a webhook is base64 behind whsec_');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

async function isSigned(
  key: CryptoKey,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = bytesOf(signature);
  return bytes !== null && crypto.subtle.verify('HMAC', key, bytes, signed);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
