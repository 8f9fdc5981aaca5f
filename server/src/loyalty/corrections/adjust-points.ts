import type { Audited } from '#audit/audited.ts';
import { createKeyedCall, KeyReused, runOncePerKey } from '#batching/idempotency.ts';
import type { KeyedRequest } from '#batching/keyed-request.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { lockPerson } from '#members/lock-person.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { balanceOn } from '#points/lots.ts';
import { storeMovements } from '#points/store-movements.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { tellOfTiers } from '#rewards/tell-of-tiers.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { decideAdjustment, type Adjustment } from './decide-adjustment.ts';

/** A request by staff to add or take points. */
export interface PointsToAdjust extends Adjustment {
  readonly commerceId: number;
  readonly memberId: number;
  /** The request, if it has an idempotency key. */
  readonly request?: KeyedRequest | undefined;
}

/** The most characters of a reason. It is one line. */
export const REASON_CHARACTERS = 200;

export interface Adjusted {
  /** Id of its movement. */
  readonly adjustmentId: number;
  readonly points: number;
  /** The balance right after it. */
  readonly balance: number;
  readonly replayed: boolean;
}

/**
 * Staff add points to a member or take some, with a reason that the member reads. It works in every state of a member,
 * except for erased people. Added points count as earned and may lift the tier; taken ones do not lower it. Repeating an
 * idempotency key returns the first adjustment.
 * @throws UnknownMember, PersonErased, CannotBeAdjusted, BeyondCounting, KeyReused, Conflict
 */
export async function adjustPoints(
  tx: Tx,
  { commerceId, memberId, request, ...adjustment }: PointsToAdjust,
): Promise<Audited<Adjusted>> {
  const call = createKeyedCall(commerceId, 'adjustment', request);
  const [outcome] = await runOncePerKey(tx, [call], async () => {
    const adjusted = await adjustOnce(tx, commerceId, memberId, adjustment);
    return [{ outcome: adjusted, result: adjusted.answer.adjustmentId }];
  });
  if (outcome?.kind === 'made') return outcome.outcome;
  if (outcome?.kind !== 'repeat') throw new KeyReused();
  return { answer: await readAdjustment(tx, commerceId, outcome.result), entry: null };
}

async function adjustOnce(
  tx: Tx,
  commerceId: number,
  memberId: number,
  adjustment: Adjustment,
): Promise<Audited<Adjusted>> {
  const found = await lockPerson(tx, commerceId, memberId);
  const commerce = (await readCommerce(tx, commerceId))!;
  const [held] = await withLots(tx, [found]);

  const { member: after, reached } = decideAdjustment(settled(held!, commerce), commerce, adjustment);
  const adjustmentId = (await storeMovements(tx, [after]))[0]!.at(-1)!;
  await storeStandings(tx, [found], [after], () => commerce);
  const given = await giveTierBenefits(
    tx,
    reached.map((tierId) => ({ member: after, commerce, tierId })),
  );
  await tellOfTiers(tx, [{ before: found, after, commerce }], given);
  const { points, expiresOn, reason } = adjustment;
  const balance = balanceOn(after.lots, commerce.today);
  return {
    answer: { adjustmentId, points, balance, replayed: false },
    entry: {
      action: 'points.adjust',
      memberId,
      movementId: adjustmentId,
      before: { points: balance - points },
      after: { points: balance, ...(expiresOn !== undefined && { expires_on: expiresOn }) },
      personal: { reason },
    },
  };
}

async function readAdjustment(db: Db, commerceId: number, id: number): Promise<Adjusted> {
  const { rows } = await sql<Omit<Adjusted, 'replayed'>>`-- read-adjustment
    select id as "adjustmentId", points, balance_after as balance
      from movements
     where commerce_id = ${commerceId} and id = ${id} and type = 'adjustment'`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('the movement of an idempotency key is gone');
  return { ...row, replayed: true };
}
