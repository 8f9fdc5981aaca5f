import type { Actor, AuditEntry } from '#audit/audited.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { countUndos } from '#commerces/key-undos.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { isErased } from '#members/eligibility.ts';
import { lockMembers } from '#members/lock-members.ts';
import { PersonErased } from '#members/refusals.ts';
import { withLots, withMovement, type LockedMember } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import type { NoteFacts } from '#points/note.ts';
import { storeMovements } from '#points/store-movements.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { forgetTierBenefits } from '#rewards/forget-tier-benefits.ts';
import type { ChangedStamps } from '#stamps/decide-stamps.ts';
import { payDebt } from '#stamps/pay-debt.ts';
import { isCart, releaseCodes } from '#vouchers/holds.ts';
import { markUndone, readNamedUses, type NamedUse } from '#vouchers/named-redemptions.ts';
import { decideRestored, restoreVouchers, type Restored } from '#vouchers/restore-vouchers.ts';
import { nameOfVoucher, readVouchers, type Voucher } from '#vouchers/voucher.ts';
import { whenTierWasLost } from './when-tier-was-lost.ts';

/** The commerce has no redemption of this id. */
export class UnknownRedemption extends NotFound {
  constructor() {
    super('the redemption does not exist: send the external_id that it was made with');
  }
}

/** The code was not used under this id. */
export class NeverUsed extends Problem {
  constructor() {
    super(400, 'never_used', 'no such use of the code: it was not redeemed with this external_id');
  }
}

/** The program undoes no uses, or not so late. */
export class UndoTooLate extends Problem {
  constructor(undoDays: number) {
    const why =
      undoDays === 0
        ? 'this program does not undo the use of codes'
        : `the use of a code can be undone for ${undoDays} days`;
    super(400, 'undo_too_late', `${why}: the code stays used`);
  }
}

/** A request to undo the uses that an id names. */
export interface Undo {
  readonly commerceId: number;
  readonly externalId: string;
  /** Only this code; all of them by default. */
  readonly code: number | null;
  readonly keyId: number;
  readonly network: string;
}

/**
 * A shop undoes the use of codes, such as after a return. The member can use them again until their old date or, where that has
 * passed, for 30 days, once in the life of a code. No points move, and no sale is taken back. The id is used up: neither it nor
 * the key of the redemption redeems anything again. Repeating the call changes nothing.
 * @param most how many uses the key may undo on a day; null means no limit
 * @throws UnknownRedemption, NeverUsed, UndoTooLate, PersonErased, TooManyRequests
 */
export async function undoRedemption(
  tx: Tx,
  undo: Undo,
  most: number | null,
): Promise<{ replayed: boolean }> {
  const { commerceId, externalId } = undo;
  const named = chosen(await readNamedUses(tx, commerceId, externalId), undo);
  if (named.length === 0) {
    const isKnown = undo.code !== null && (await readNamedUses(tx, commerceId, externalId)).length > 0;
    throw isKnown || (await isCart(tx, commerceId, externalId)) ? new NeverUsed() : new UnknownRedemption();
  }
  const refs = [...new Set(named.map(({ memberId }) => memberId))].map((id) => ({ commerceId, id }));
  const people = await lockMembers(tx, refs);
  // The members are locked, so nobody else undoes these uses, erases them or takes a tier away.
  const uses = chosen(await readNamedUses(tx, commerceId, externalId), undo).filter((use) => !use.isUndone);
  if (uses.length === 0) return { replayed: true };

  const commerce = (await readCommerce(tx, commerceId))!;
  const members = (await withLots(tx, people)).map((member) => settled(member, commerce));
  const vouchers = await readVouchers(
    tx,
    uses.map(({ code }) => ({ commerceId, code })),
  );
  assertInTime(uses, commerce);
  if (people.some(isErased)) throw new PersonErased();
  const key = { commerceId, keyId: undo.keyId };
  const refusal = await countUndos(tx, key, uses.length, most);
  if (refusal !== null) throw refusal;

  const undone: UndoneUse[] = [];
  for (const use of uses) {
    const voucher = vouchers.get(nameOfVoucher({ commerceId, code: use.code }))!;
    const stamps = await payDebt(tx, voucher, commerce);
    const lostAt = stamps === null ? await whenTierWasLost(tx, voucher) : commerce.now;
    undone.push({ use, voucher, stamps, restored: decideRestored(voucher, lostAt, commerce.now) });
  }
  await storeUndone(tx, undo, undone, members, commerce);
  return { replayed: false };
}

interface UndoneUse {
  readonly use: NamedUse;
  readonly voucher: Voucher;
  readonly restored: Restored;
  /** What it changed on the card that the code was for; null if nothing. */
  readonly stamps: ChangedStamps | null;
}

function chosen(uses: readonly NamedUse[], { code }: Undo): NamedUse[] {
  return uses.filter((use) => code === null || use.code === code);
}

/** @throws UndoTooLate */
function assertInTime(uses: readonly NamedUse[], { rules, now }: Commerce): void {
  const { undoDays } = rules.codes;
  const earliest = now.getTime() - undoDays * DAY_MS;
  if (undoDays === 0 || uses.some(({ usedAt }) => usedAt.getTime() < earliest))
    throw new UndoTooLate(undoDays);
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function storeUndone(
  tx: Tx,
  undo: Undo,
  undone: readonly UndoneUse[],
  members: readonly LockedMember[],
  commerce: Commerce,
): Promise<void> {
  const { commerceId } = undo;
  const { now } = commerce;
  const codes = undone.map(({ use }) => use.code);
  const after = members.map((member) =>
    undone
      .filter(({ use }) => use.memberId === member.id)
      .reduce((current, one) => withUndo(current, one, commerce), member),
  );
  const ids = await storeMovements(tx, after);
  const stored = after.flatMap(({ movements }, i) =>
    movements.flatMap(({ type, voucherCode }, j) =>
      type === 'undo' ? [{ code: voucherCode!, undoId: ids[i]![j]! }] : [],
    ),
  );
  await restoreVouchers(
    tx,
    commerceId,
    undone.map(({ use, restored }) => ({ code: use.code, ...restored })),
  );
  await storeHappenings(
    tx,
    undone.flatMap(({ use: { code, memberId }, restored }) =>
      restored.givenBackAt === null
        ? []
        : [{ type: 'voucher.voided' as const, commerceId, memberId, at: now, voucherCode: code }],
    ),
  );
  await markUndone(tx, undo, stored, now);
  await releaseCodes(tx, commerceId, codes);
  for (const { use, voucher, restored } of undone) {
    if (restored.givenBackAt !== null && voucher.source === 'level')
      await forgetTierBenefits(tx, { commerceId, id: use.memberId }, [voucher.tierId!]);
  }
  for (const { code, undoId } of stored) {
    const { use, restored } = undone.find((one) => one.use.code === code)!;
    await storeAuditEntry(tx, actorOf(undo), entryOf(undo, use, restored, undoId));
  }
}

/** Returns the member after the use was undone, which changes no figure. */
function withUndo(
  member: LockedMember,
  { use, restored, stamps }: UndoneUse,
  { rules, now, today }: Commerce,
): LockedMember {
  const note: NoteFacts = { of: 'undo', isVoid: restored.givenBackAt !== null };
  const snapshot = {
    rule: rules.version,
    use: use.useId,
    note,
    ...(stamps !== null && { stamps: [stamps] }),
  };
  return withMovement(
    member,
    { type: 'undo', at: now, voucherCode: use.code, snapshot },
    { lots: member.lots, today },
  );
}

function actorOf({ commerceId, keyId, network }: Undo): Actor {
  return { kind: 'key', commerceId, keyId, needed: { scope: 'undo' }, network };
}

function entryOf({ externalId }: Undo, use: NamedUse, restored: Restored, undoId: number): AuditEntry {
  return {
    action: 'voucher.undo_use',
    memberId: use.memberId,
    movementId: undoId,
    subject: String(use.code),
    before: { used_at: use.usedAt, external_id: externalId },
    after: { due_date: restored.dueAt, void: restored.givenBackAt !== null },
  };
}
