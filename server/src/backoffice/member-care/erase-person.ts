import { eraseTexts } from '#audit/erase-texts.ts';
import type { Audited } from '#audit/audited.ts';
import { unsellBenefits } from '#benefits/unsell-benefit.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { eraseMails } from '#mail/erase-mails.ts';
import { eraseMailStops } from '#mail/mail-stops.ts';
import { eraseAccount, eraseMember, findOtherUses, lockAccount } from '#members/erase-member.ts';
import { findMember } from '#members/lock-members.ts';
import { lockPerson } from '#members/lock-person.ts';
import type { Member } from '#members/member.ts';
import { PersonErased, UnknownMember } from '#members/refusals.ts';
import { forgetPurchaseLines } from '#purchases/purchase-lines.ts';
import { forgetOrderLines } from '#orders/store-orders.ts';
import { withoutPoints } from '#points/end-points.ts';
import { eraseNotes } from '#points/erase-notes.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { forgetPending } from '#points/store-pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { Problem } from '#problems/problem.ts';
import { forgetPendingBenefits } from '#rewards/pending-benefits.ts';
import { forgetCards } from '#stamps/store-cards.ts';
import { eraseCodes, eraseFailures, eraseSessions } from '#sign-in/erase-sign-ins.ts';
import { releaseMember } from '#vouchers/holds.ts';
import { voidCodesOfErased } from '#vouchers/void-vouchers.ts';
import { eraseDeliveries } from '#webhooks/erase-deliveries.ts';
import { erasePasses } from '#wallets/passes-of-member.ts';

/** The typed text is not the member's code, or the address of someone whose points wait. */
export class NotConfirmed extends Problem {
  constructor({ code }: Member) {
    const what = code === null ? 'the e-mail address of this person' : 'the 9 digits of this member';
    super(400, 'not_confirmed', `erasing is final: type ${what} to confirm it`);
  }
}

/** The reason of an erasure stays in the audit, so it must not say who was erased. */
export class ReasonNamesThePerson extends Problem {
  constructor() {
    super(
      400,
      'reason_names_the_person',
      'the reason is kept after the person is erased: leave out every part of the name, the address and the telephone number',
    );
  }
}

/** How staff ask for an erasure. */
export interface Erasure {
  /** The text that they typed to confirm it: the member's code, or the address of someone who never joined. */
  readonly confirm: string;
  readonly reason: string;
}

export interface Erased {
  /** Points that ended; negative for a debt. */
  readonly points: number;
  /** Codes that can no longer be used. */
  readonly codes: number;
}

/**
 * Staff erase a person at one commerce, for good. The books keep a row without a name: movements and lifetime figures stay, the points end,
 * and unused codes are void. Everything personal is deleted, the account too if no other commerce uses it. Anyone who joins again with the
 * address is new.
 * @throws UnknownMember, PersonErased, NotConfirmed, ReasonNamesThePerson
 */
export async function erasePerson(
  tx: Tx,
  commerceId: number,
  memberId: number,
  { confirm, reason }: Erasure,
): Promise<Audited<Erased>> {
  const found = await findMember(tx, { commerceId, id: memberId });
  if (found === undefined) throw new UnknownMember();
  const { email } = found;
  if (email === null) throw new PersonErased();
  const { person, userId } = await lockForErasure(tx, commerceId, memberId, email);
  if (!isConfirmed(person, confirm)) throw new NotConfirmed(person);
  if (namesThePerson(reason, person)) throw new ReasonNamesThePerson();
  const { points, codes } = await eraseLocked(tx, person, email, userId);
  return {
    answer: { points, codes },
    entry: {
      action: 'member.erase',
      memberId,
      before: { state: person.state, points, codes },
      after: { state: 'erased', points: 0, codes: 0 },
      // Written after the other texts are gone, so it stays.
      personal: { reason },
    },
  };
}

/** Locks in the order of a sign-in: the mailbox and its code, the account, the member. */
export async function lockForErasure(
  tx: Tx,
  commerceId: number,
  memberId: number,
  email: string,
): Promise<{ person: Member; userId: number | null }> {
  await eraseCodes(tx, commerceId, email);
  const userId = await lockAccount(tx, email);
  return { person: await lockPerson(tx, commerceId, memberId), userId };
}

/** Erases a person whom `lockForErasure` has locked. */
export async function eraseLocked(
  tx: Tx,
  person: Member,
  email: string,
  userId: number | null,
): Promise<Erased> {
  const { commerceId, id: memberId } = person;
  const commerce = (await readCommerce(tx, commerceId))!;
  const [holder] = await withLots(tx, [person]);
  const after = withoutPoints(settled(holder!, commerce), commerce);
  const ended = after.movements.find(({ type }) => type === 'adjustment');
  await storeMovements(tx, [after]);
  await forgetPending(tx, person);
  await forgetPendingBenefits(tx, person);
  await forgetCards(tx, person);
  const { codes, bought } = await voidCodesOfErased(tx, person, commerce.now);
  await unsellBenefits(tx, commerceId, bought);
  await releaseMember(tx, commerceId, memberId);
  await forgetOrderLines(tx, commerceId, memberId);
  await forgetPurchaseLines(tx, commerceId, memberId);

  await eraseNotes(tx, commerceId, memberId);
  await eraseTexts(tx, commerceId, memberId);
  await erasePasses(tx, commerceId, memberId);
  await eraseMails(tx, commerceId, email);
  await eraseMailStops(tx, commerceId, memberId);
  await eraseDeliveries(tx, commerceId, memberId);
  await eraseMember(tx, person, commerce.now);
  const others = await findOtherUses(tx, commerceId, email);
  if (userId !== null) {
    await eraseSessions(tx, userId, others.account ? commerceId : 'all');
    if (!others.account) await eraseAccount(tx, userId);
  }
  if (!others.address) await eraseFailures(tx, email);
  return { points: 0 - (ended?.points ?? 0), codes };
}

function isConfirmed({ code, email }: Member, typed: string): boolean {
  if (code === null) return typed.trim().toLowerCase() === email;
  return typed.replaceAll(/[\s-]/g, '') === String(code);
}

function namesThePerson(reason: string, { email, phone, username }: Member): boolean {
  const text = reason.toLowerCase();
  const digits = text.replaceAll(/[^\d+]/g, '');
  if (email !== null && text.includes(email)) return true;
  if (phone !== null && digits.includes(phone.slice(1))) return true;
  // Half of a name, or the half of it that is in the address, tells as much as the whole.
  const said = new Set(wordsOf(reason));
  const ofName = wordsOf(username ?? '').filter((word) => word.length > 1 && !PARTICLES.has(word));
  const ofAddress = wordsOf(email?.split('@', 1)[0] ?? '').filter(
    (word) => word.length > 2 && /^\p{L}+$/u.test(word),
  );
  return [...ofName, ...ofAddress].some((word) => said.has(word));
}

/** Words of names that are words of sentences, too. */
const PARTICLES: ReadonlySet<string> = new Set(
  'al da das de del den der di do dos du el la las le lo los of the und van von y e'.split(' '),
);

/** The words of a text without capitals and accents: `garcia` for `García`. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}
