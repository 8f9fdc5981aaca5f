import type { Static } from 'typebox';
import type { WireIds } from '#batching/wire-ids.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { stateOfVoucher } from '#vouchers/voucher.ts';
import { auditActorToWire } from '../audit/audit-actor.ts';
import type { CauseSchema } from '../audit/wire.ts';
import { factorsToWire } from '../till/factors-to-wire.ts';
import type { HistoryLine } from './read-member-history.ts';
import type { MemberHistorySchema, MOVEMENT_KINDS } from './wire.ts';

type Movement = Static<typeof MemberHistorySchema>['results'][number];

const KINDS = {
  purchase: 'purchase',
  available: 'available',
  correction: 'correction',
  reversal: 'return',
  exchange: 'exchange',
  give_back: 'give_back',
  usage: 'usage',
  undo: 'undo',
  reward: 'reward',
  adjustment: 'adjustment',
  expiry: 'expiry',
} as const satisfies Record<HistoryLine['type'], Movement['kind']>;

/** Returns the type in the ledger of what a history calls a kind; undefined if nothing is of this kind. */
export function typeOfKind(kind: (typeof MOVEMENT_KINDS)[number]): HistoryLine['type'] | undefined {
  return (Object.keys(KINDS) as HistoryLine['type'][]).find((type) => KINDS[type] === kind);
}

/** Returns what a history calls a type of the ledger. */
export function kindOfType(type: HistoryLine['type']): Movement['kind'] {
  return KINDS[type];
}

/** Returns a line of a member's history, with who caused it and what can be done with it now. */
export function movementToWire(
  line: HistoryLine,
  { now, program }: Commerce,
  purchaseIds: WireIds,
): Movement {
  const { id, type, amount, voucher, reversedAmount, reversesId } = line;
  const state = voucher && stateOfVoucher(voucher, now);
  return {
    id: id === null ? 0 : purchaseIds.toWire(id),
    kind: KINDS[type],
    at: line.at,
    points: line.points,
    balance: line.balance,
    amount,
    cents: line.cents,
    title: line.title,
    event: line.event,
    note: line.note,
    register_id: line.registerId,
    branch_id: line.branchId,
    external_id: line.externalId,
    factors: factorsToWire({ ...line, amount: amount ?? 0 }, program.locale),
    explanation: line.explanation,
    program_version: line.programVersion,
    reverses_id: reversesId === null ? null : purchaseIds.toWire(reversesId),
    reversed_amount: reversedAmount,
    reversed_cents: line.reversedCents,
    reversed_points: line.reversedPoints,
    voucher: voucher && { client_benefit_code: voucher.code, state: state!, due_date: voucher.dueAt },
    by: causeOf(line),
    can: [
      ...(type === 'purchase' && reversedAmount < amount! ? (['reverse'] as const) : []),
      ...(type === 'exchange' && (state === 'usable' || state === 'expired') ? (['give_back'] as const) : []),
    ],
  };
}

function causeOf({ type, actor }: HistoryLine): Static<typeof CauseSchema> {
  return actor === null ? CAUSES[type] : auditActorToWire(actor);
}

/** Movements that the audit does not know were not made in the back office. Before there was one, staff had the command line. */
const CAUSES = {
  purchase: { kind: 'key', name: null },
  correction: { kind: 'key', name: null },
  reversal: { kind: 'key', name: null },
  usage: { kind: 'key', name: null },
  undo: { kind: 'key', name: null },
  exchange: { kind: 'member' },
  give_back: { kind: 'command_line' },
  adjustment: { kind: 'command_line' },
  reward: { kind: 'program' },
  expiry: { kind: 'program' },
  available: { kind: 'program' },
} as const satisfies Record<HistoryLine['type'], Static<typeof CauseSchema>>;
