import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedMail, SmtpSink } from '../../../server/test/smtp-sink.ts';
import { at, type Caller, type Reply } from './caller.ts';
import type { Shop } from './attack.ts';

interface Person {
  readonly email: string;
  /** The address that the person calls from. */
  readonly from: string;
}

/** The answer to a sign-in. */
export interface SignedIn {
  readonly access: string;
  readonly refresh: string;
  readonly user_id: number;
}

/** Asks for a sign-in code. */
export function askForCode(caller: Caller, shop: Shop, { email, from }: Person): Promise<Reply> {
  return caller.call(from, {
    method: 'POST',
    path: '/v1/auth/otp/request',
    headers: at(shop.commerceId),
    body: { email },
  });
}

/** Tries a sign-in code. */
export function tryCode(caller: Caller, shop: Shop, { email, from }: Person, otp: string): Promise<Reply> {
  return caller.call(from, {
    method: 'POST',
    path: '/v1/auth/otp/verify',
    headers: at(shop.commerceId),
    body: { email, otp },
  });
}

/**
 * Signs a person in as people do: asks for a code, reads the mails of the shop and follows their link, or types their
 * code if there is no link. Asks again every few seconds. Returns null if none of it works within that time.
 */
export async function signInByMail(
  caller: Caller,
  mails: SmtpSink,
  shop: Shop,
  person: Person,
  seconds = 60,
): Promise<SignedIn | null> {
  const tried = new Set<ReceivedMail>();
  const end = performance.now() + seconds * 1_000;
  for (let askAt = 0; performance.now() < end; await sleep(50)) {
    if (performance.now() > askAt) {
      await askForCode(caller, shop, person);
      askAt = performance.now() + 5_000;
    }
    for (const mail of mailsTo(mails, person.email, shop).filter((one) => !tried.has(one))) {
      tried.add(mail);
      const reply = await useMail(caller, shop, person, textOf(mail));
      if (reply?.status === 200) return JSON.parse(reply.text) as SignedIn;
    }
  }
  return null;
}

async function useMail(caller: Caller, shop: Shop, person: Person, text: string): Promise<Reply | null> {
  const token = linkTokenOf(text);
  if (token !== null) {
    const reply = await caller.call(person.from, {
      method: 'POST',
      path: '/v1/auth/link/verify',
      headers: at(shop.commerceId),
      body: { token },
    });
    if (reply.status === 200) return reply;
  }
  const code = codeOf(text);
  return code === null ? null : tryCode(caller, shop, person, code);
}

/** The mails of any shop, or of one, to an address, newest first. */
export function mailsTo(mails: SmtpSink, email: string, shop?: Shop): ReceivedMail[] {
  return mails.received
    .filter(({ to, raw }) => to.includes(email) && (!shop || textOf({ raw }).includes(shop.slug)))
    .toReversed();
}

/** Waits until no mail has come for two seconds, or for half a minute in all. */
export async function waitForRest({ received }: SmtpSink): Promise<void> {
  for (let waited = 0, before = -1; waited < 30 && received.length > before; waited += 2) {
    before = received.length;
    await sleep(2_000);
  }
}

/** The six digits that stand alone on a line. */
export function codeOf(text: string): string | null {
  return /^(\d{6})\s*$/m.exec(text)?.[1] ?? null;
}

/** The secret in the fragment of the mail's link. */
function linkTokenOf(text: string): string | null {
  return /https?:\/\/[^\s#"<>]+#\S*?([\w-]{20,})/.exec(text)?.[1] ?? null;
}

/** A mail with its quoted-printable lines decoded. */
export function textOf({ raw }: Pick<ReceivedMail, 'raw'>): string {
  return raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
