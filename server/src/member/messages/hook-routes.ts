import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { StrEnum } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import type { MailHookSettings } from '#settings/mail-hook-settings.ts';
import { suppressAddresses } from '#mail/suppressions.ts';
import { NothingHere, Problem, Unavailable } from '#problems/problem.ts';
import { takeBytes } from './form-body.ts';
import { isSigned, knowsSecret, proofOf } from './providers/prove-sender.ts';
import { PROVIDERS, readEvents, type Provider } from './providers/read-events.ts';

/** 401: Amazon SNS sends its password only after it was asked for one. */
class NotFromTheProvider extends Problem {
  constructor() {
    super(401, 'wrong_credential', 'the password or the signature of this report is not valid', {
      headers: { 'www-authenticate': 'Basic realm="mail hooks"' },
    });
  }
}

/** SendGrid collects up to 768 KiB. */
const REPORT_BYTES = 1024 * 1024;

const NO_HOOKS: MailHookSettings = { secret: null, sendgridKey: null, mailgunKey: null };

/**
 * Adds `POST /hooks/mail/{provider}`. Mail providers report there which addresses do not exist and who complained; those
 * addresses then get nothing but sign-in codes. Repeating a report changes nothing. Without a password or a key there is no
 * such route.
 * @param confirm opens the address by which Amazon SNS wants a subscription confirmed
 */
export function mailHookRoutes(
  app: App,
  { db, mailHooks = NO_HOOKS }: { db: Database; mailHooks?: MailHookSettings | undefined },
  confirm: (address: string) => Promise<void> = confirmSubscription,
): void {
  void app.register((scope: App, _options: object, done: () => void) => {
    takeBytes(scope, REPORT_BYTES);
    scope.post(
      '/hooks/mail/:provider',
      {
        schema: { hide: true, params: Type.Object({ provider: StrEnum(PROVIDERS) }) },
        config: { credential: 'none', rateLimit: 'call', turn: { write: () => 'mail hooks' } },
        bodyLimit: REPORT_BYTES,
        onRequest: (request, _reply, next) => {
          const { provider } = request.params;
          const proof = PROVIDERS.includes(provider) ? proofOf(provider, mailHooks) : null;
          if (proof === null) return next(new NothingHere());
          const isKnown = proof !== 'secret' || knowsSecret(request.headers, mailHooks.secret!);
          return next(isKnown ? undefined : new NotFromTheProvider());
        },
      },
      async (request) => {
        const { headers, params } = request;
        const provider: Provider = params.provider;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const report = parseReport(body);
        if (
          proofOf(provider, mailHooks) === 'signature' &&
          !isSigned(provider, { headers, body, report }, mailHooks)
        )
          throw new NotFromTheProvider();
        const address = provider === 'ses' ? subscriptionToConfirm(report) : null;
        if (address !== null) await confirm(address);
        const events = readEvents(provider, report);
        await suppressAddresses(db, events);
        return { message: `addresses that get only sign-in codes from now on: ${events.length}` };
      },
    );
    done();
  });
}

function parseReport(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Returns the address that confirms a subscription of Amazon SNS. Only one of SNS itself is ever opened. */
export function subscriptionToConfirm(report: unknown): string | null {
  const { Type: type, SubscribeURL: address } = (report ?? {}) as Record<string, unknown>;
  if (type !== 'SubscriptionConfirmation' || typeof address !== 'string' || !URL.canParse(address))
    return null;
  const { protocol, hostname, port } = new URL(address);
  const isOfSns = /^sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(hostname);
  return protocol === 'https:' && port === '' && isOfSns ? address : null;
}

/** @throws Unavailable if Amazon SNS did not answer or refused: it then asks again */
async function confirmSubscription(address: string): Promise<void> {
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  );
  await answer?.body?.cancel();
  if (answer?.ok !== true) throw new Unavailable();
}
