import { connect, constants, type ClientHttp2Session } from 'node:http2';
import type { AppleSettings } from '#settings/wallet-settings.ts';

/** Tells devices that one of their passes has changed. They then fetch it themselves. */
export interface ApplePush {
  /** Returns false if the device has removed the pass, so that it is not told again. @throws if it could not be told */
  tell(pushToken: string): Promise<boolean>;
  /** Closes the connection once the calls that are under way have ended. */
  close(): void;
}

/** Where Apple listens. Tests pass an address and a certificate of their own. */
export interface PushServer {
  readonly origin: string;
  /** The only authority that is trusted, as PEM. By default those that Node trusts. */
  readonly authority?: string;
}

export const APPLE_PUSH: PushServer = { origin: 'https://api.push.apple.com' };

const TIMEOUT_MS = 10_000;
/** Answers that stay the same however often the push is repeated. */
const GONE: ReadonlySet<string> = new Set(['BadDeviceToken', 'Unregistered', 'DeviceTokenNotForTopic']);

/** Apple refused a push. The reason is one word. */
class PushRefused extends Error {
  constructor(status: number, reason: string) {
    super(`Apple refused a push with ${status} ${reason}`);
    this.name = 'PushRefused';
  }
}

/** Opens one connection, with the certificate of the pass type, when it is first needed, and again after it was lost. */
export function createApplePush(apple: AppleSettings, server: PushServer): ApplePush {
  let session: ClientHttp2Session | null = null;

  return {
    async tell(pushToken) {
      const { status, body } = await push(open(), pushToken);
      if (status === 200) return true;
      const reason = reasonIn(body);
      if (status === 410 || (status === 400 && GONE.has(reason))) return false;
      throw new PushRefused(status, reason);
    },
    close: () => session?.destroy(),
  };

  function open(): ClientHttp2Session {
    if (session !== null && !session.closed && !session.destroyed) return session;
    const opened = connect(server.origin, {
      cert: apple.certificate,
      key: apple.key,
      ...(server.authority !== undefined && { ca: server.authority }),
    });
    // Each call on the connection gets the error too.
    opened.on('error', () => {});
    opened.on('goaway', () => opened.close());
    opened.setTimeout(60_000, () => opened.close());
    opened.unref();
    session = opened;
    return opened;
  }

  function push(
    connection: ClientHttp2Session,
    pushToken: string,
  ): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const stream = connection.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: `/3/device/${encodeURIComponent(pushToken)}`,
        'apns-topic': apple.passTypeId,
      });
      let status = 0;
      let body = '';
      stream.setEncoding('utf8');
      stream.setTimeout(TIMEOUT_MS, () => {
        reject(new Error(`Apple took longer than ${TIMEOUT_MS / 1000} s`));
        connection.destroy();
      });
      stream.on('response', (headers) => (status = headers[':status'] ?? 0));
      stream.on('data', (text: string) => (body = (body + text).slice(0, 1_000)));
      stream.on('error', reject);
      // After an answer, or after the connection was lost without one.
      stream.on('close', () =>
        status === 0 ? reject(new Error('the connection to Apple was lost')) : resolve({ status, body }),
      );
      stream.end('{}');
    });
  }
}

function reasonIn(body: string): string {
  const [, reason = 'without a reason'] = /"reason"\s*:\s*"(\w{1,60})"/.exec(body) ?? [];
  return reason;
}
