import { createHmac, timingSafeEqual } from 'node:crypto';
import { createHiddenIds } from '#batching/hidden-ids.ts';
import { deriveKeys, type SecretKeys } from '#settings/secret-key.ts';

/** The member of a commerce whose mails a link is about. */
export interface MailReader {
  readonly commerceId: number;
  readonly memberId: number;
}

/** Makes and reads the addresses of the page where a member chooses mails. They are good for ever and need no sign-in. */
export interface SettingsLinks {
  link(base: string, reader: MailReader): string;
  /** Returns null if the token is not ours. */
  open(token: string): MailReader | null;
}

const ID_BYTES = 7;
const SIGNATURE_BYTES = 16;

/** Creates the links of a service with this secret. Without the key that made them, the links of old mails no longer lead anywhere. */
export function createSettingsLinks(secret: SecretKeys): SettingsLinks {
  const keys = deriveKeys(secret, 'mail settings', 32);
  // Ids count up over all shops, and a mail may be passed on.
  const ids = deriveKeys(secret, 'ids in mail settings', 12).map(createHiddenIds);
  const sign = (key: Buffer, body: Buffer) =>
    createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES);

  return {
    link(base, { commerceId, memberId }) {
      const body = Buffer.concat([commerceId, memberId].map((id) => bytesOf(ids[0]!.hide(id))));
      return `${base}/mail/${Buffer.concat([body, sign(keys[0], body)]).toString('base64url')}`;
    },
    open(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== 2 * ID_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== token)
        return null;
      const body = bytes.subarray(0, 2 * ID_BYTES);
      const place = keys.findIndex((key) => timingSafeEqual(sign(key, body), bytes.subarray(2 * ID_BYTES)));
      if (place === -1) return null;
      const [commerceId, memberId] = [0, ID_BYTES].map((at) => ids[place]!.show(readNumber(body, at))) as [
        number | null,
        number | null,
      ];
      return commerceId === null || memberId === null ? null : { commerceId, memberId };
    },
  };
}

/** A hidden id is below 2^49, and `writeUIntBE` takes at most six bytes. */
function bytesOf(hidden: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(hidden));
  return bytes.subarray(8 - ID_BYTES);
}

function readNumber(body: Buffer, at: number): number {
  return Number(
    Buffer.concat([Buffer.alloc(8 - ID_BYTES), body.subarray(at, at + ID_BYTES)]).readBigUInt64BE(),
  );
}
