import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { inPieces, rowsIn } from '#db/cluster/rows-in.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import type { LockedMember, MovementFacts, NewMovement } from './locked-member.ts';
import type { Lot } from './lots.ts';
import { writeSplit } from './split-text.ts';
import { storeNotes } from './movement-notes.ts';
import { storePending } from './store-pending.ts';

/**
 * Writes the decided changes of locked members: movements, points and lifetime figures, in one statement for any number
 * of members. No other code changes a balance. Returns the ids of the movements: a list for each member, in order.
 */
export async function storeMovements(tx: Tx, members: readonly LockedMember[]): Promise<number[][]> {
  const changed = members.filter((member) => member.movements.length > 0);
  if (changed.length === 0) return members.map(() => []);
  const balances = changed.flatMap(balancesAfter);
  const movements = changed.flatMap((member) =>
    member.movements.map((movement) => ({ member, ...movement })),
  );

  const kept = balances.filter(({ points }) => points !== 0);
  const emptied = balances.filter(({ points }) => points === 0);
  const changes = { changed, kept, emptied, movements };
  const ids = isOnCluster(tx) ? await storeOnCluster(tx, changes) : await storeAtOnce(tx, changes);

  await storeNotes(
    tx,
    movements.flatMap(({ member, typedNote }, i) =>
      typedNote === undefined
        ? []
        : [{ commerceId: member.commerceId, movementId: ids[i]!, memberId: member.id, note: typedNote }],
    ),
  );
  await storePending(
    tx,
    movements.flatMap(({ member: { commerceId, id: memberId }, pending }, i) =>
      pending === undefined
        ? []
        : [{ ...pending, commerceId, memberId, purchaseId: pending.purchaseId ?? ids[i]! }],
    ),
  );
  const next = ids.values();
  return members.map((member) => member.movements.map(() => next.next().value as number));
}

/** What a transaction writes, in the order in which it was decided. */
interface Changes {
  readonly changed: readonly LockedMember[];
  /** The days that have points now, and those that have none any more. */
  readonly kept: readonly LotOfMember[];
  readonly emptied: readonly LotOfMember[];
  readonly movements: readonly (NewMovement & { readonly member: LockedMember })[];
}

/** Stores everything in one statement. Returns the ids of the movements, in order. */
async function storeAtOnce(tx: Tx, { changed, kept, emptied, movements }: Changes): Promise<number[]> {
  const carries = movements.some(({ remainder }) => remainder !== undefined);
  const isPlain = emptied.length === 0 && !movements.some(hasRareValues);
  const said = linesOf(movements);
  const [emptying, rare] = isPlain
    ? [NOTHING, NO_RARE_VALUES]
    : [emptyDays(emptied), rareValuesOf(movements)];
  // An exchange changes none of them, and to write the same again costs as much as to write something else.
  const ifOther = isPlain || carries ? NOTHING : IF_OTHER_FIGURES;

  // Movements are inserted in the order of the arrays, so their ids follow it.
  const carried = carries ? remaindersOf(changed) : NO_REMAINDERS;
  const { rows } = await sql<{ id: number }>`${isPlain ? PLAIN_NAME : FULL_NAME}${carried.name}${said.name}
    with figures as (
      update members m
         set points_earned = c.points_earned, amount_spent = c.amount_spent,
             purchases = c.purchases, moved_on = c.moved_on${carried.set}
        from unnest(${changed.map((m) => m.commerceId)}::bigint[], ${changed.map((m) => m.id)}::bigint[],
                    ${changed.map((m) => m.figures.points)}::bigint[], ${changed.map((m) => m.figures.amount)}::bigint[],
                    ${changed.map((m) => m.purchases)}::bigint[], ${changed.map((m) => m.movedOn)}::date[]${carried.values})
               as c(commerce_id, id, points_earned, amount_spent, purchases, moved_on${carried.columns})
       where m.commerce_id = any(${commercesOf(changed)}::bigint[])
         and m.commerce_id = c.commerce_id and m.id = c.id${ifOther}
    ),${emptying} filled as (
      insert into balances (commerce_id, member_id, expires_on, moving, points)
      select *
        from unnest(${kept.map((b) => b.commerceId)}::bigint[], ${kept.map((b) => b.memberId)}::bigint[],
                    ${kept.map((b) => b.expiresOn)}::date[], ${kept.map((b) => b.moving)}::boolean[],
                    ${kept.map((b) => b.points)}::bigint[])
          on conflict (commerce_id, member_id, expires_on, moving) do update set points = excluded.points
    )${said.before}
    insert into movements (commerce_id, member_id, type, at, points, points_earned, amount, purchases, split, snapshot,
                           branch_id, register_id, balance_after${rare.columns})
    select c.commerce_id, c.member_id, c.type, c.at, c.points, c.points_earned, c.amount, c.purchases,
           c.split::jsonb, c.snapshot::jsonb, c.branch_id, c.register_id, c.balance_after${rare.columns}
      from unnest(${movements.map((m) => m.member.commerceId)}::bigint[], ${movements.map((m) => m.member.id)}::bigint[],
                  ${movements.map((m) => m.type)}::text[], ${movements.map((m) => m.at)}::timestamptz[],
                  ${movements.map((m) => m.points)}::bigint[], ${movements.map((m) => m.pointsEarned ?? 0)}::bigint[],
                  ${movements.map((m) => m.amount ?? null)}::bigint[], ${movements.map((m) => m.purchases ?? 0)}::smallint[],
                  ${movements.map((m) => JSON.stringify(writeSplit(m.split)))}::text[], ${movements.map((m) => jsonOrNull(m.snapshot))}::text[],
                  ${movements.map((m) => m.branchId ?? null)}::bigint[], ${movements.map((m) => m.registerId ?? null)}::bigint[],
                  ${movements.map((m) => m.balanceAfter ?? null)}::bigint[]${rare.values})
             with ordinality
             as c(commerce_id, member_id, type, at, points, points_earned, amount, purchases, split, snapshot,
                  branch_id, register_id, balance_after${rare.columns}, position)
     order by c.position
    returning id${said.after}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Stores the same on a cluster, which takes each part as a statement of its own. They are sent together. */
async function storeOnCluster(tx: Tx, { changed, kept, emptied, movements }: Changes): Promise<number[]> {
  const carried = movements.some(({ remainder }) => remainder !== undefined)
    ? remaindersOf(changed)
    : NO_REMAINDERS;
  const figures = sql`-- store-figures${carried.name}
    update members m
       set points_earned = c.points_earned, amount_spent = c.amount_spent,
           purchases = c.purchases, moved_on = c.moved_on${carried.set}
      from unnest(${changed.map((m) => m.commerceId)}::bigint[], ${changed.map((m) => m.id)}::bigint[],
                  ${changed.map((m) => m.figures.points)}::bigint[], ${changed.map((m) => m.figures.amount)}::bigint[],
                  ${changed.map((m) => m.purchases)}::bigint[], ${changed.map((m) => m.movedOn)}::date[]${carried.values})
             as c(commerce_id, id, points_earned, amount_spent, purchases, moved_on${carried.columns})
     where m.commerce_id = any(${commercesOf(changed)}::bigint[])
       and m.commerce_id = c.commerce_id and m.id = c.id`;
  const [, , , ...ledger] = await Promise.all([
    figures.execute(tx),
    emptied.length === 0 ? null : sql`delete from balances b ${thoseDays(emptied)}`.execute(tx),
    Promise.all(inPieces(kept, 5).map((piece) => daysOf(piece).execute(tx))),
    ...inPieces(movements, 16).map((piece) => ledgerOf(piece).execute(tx)),
  ]);
  const ids = ledger.flatMap(({ rows }) => rows.map(({ id }) => id));
  await storeLines(tx, movements, ids);
  return ids;
}

function daysOf(kept: Changes['kept']) {
  return sql`
    insert into balances as b (commerce_id, member_id, expires_on, moving, points)
    ${rowsIn([
      ['bigint', kept.map((b) => b.commerceId)],
      ['bigint', kept.map((b) => b.memberId)],
      ['date', kept.map((b) => b.expiresOn)],
      ['boolean', kept.map((b) => b.moving)],
      ['bigint', kept.map((b) => b.points)],
    ])}
        on conflict (commerce_id, member_id, expires_on, moving) do update set points = excluded.points`;
}

function ledgerOf(movements: Changes['movements']) {
  return sql<{ id: number }>`
    insert into movements (commerce_id, member_id, type, at, points, points_earned, amount, purchases, split, snapshot,
                           branch_id, register_id, balance_after, reverses_id, voucher_code, event)
    ${rowsIn([
      ['bigint', movements.map((m) => m.member.commerceId)],
      ['bigint', movements.map((m) => m.member.id)],
      ['text', movements.map((m) => m.type)],
      ['timestamptz', movements.map((m) => m.at)],
      ['bigint', movements.map((m) => m.points)],
      ['bigint', movements.map((m) => m.pointsEarned ?? 0)],
      ['bigint', movements.map((m) => m.amount ?? null)],
      ['smallint', movements.map((m) => m.purchases ?? 0)],
      ['jsonb', movements.map((m) => JSON.stringify(writeSplit(m.split)))],
      ['jsonb', movements.map((m) => jsonOrNull(m.snapshot))],
      ['bigint', movements.map((m) => m.branchId ?? null)],
      ['bigint', movements.map((m) => m.registerId ?? null)],
      ['bigint', movements.map((m) => m.balanceAfter ?? null)],
      ['bigint', movements.map((m) => m.reversesId ?? null)],
      ['bigint', movements.map((m) => m.voucherCode ?? null)],
      ['text', movements.map((m) => m.event ?? null)],
    ])}
    returning id`;
}

// Nearly all movements are purchases, which empty no day and have none of the rare values. Without these parts, the statement
// takes a tenth less of PostgreSQL's time.
const PLAIN_NAME = sql.raw('-- store-movements');
const FULL_NAME = sql.raw('-- store-movements-in-full');
const NOTHING = sql.raw('');
const IF_OTHER_FIGURES = sql`
         and (m.points_earned, m.amount_spent, m.purchases, m.moved_on)
               is distinct from (c.points_earned, c.amount_spent, c.purchases, c.moved_on)`;
const NO_RARE_VALUES = { columns: NOTHING, values: NOTHING };
const NO_LINES = { name: NOTHING, before: NOTHING, after: NOTHING };
const NO_REMAINDERS = { name: NOTHING, set: NOTHING, values: NOTHING, columns: NOTHING };

function hasRareValues({ reversesId, voucherCode, event }: MovementFacts): boolean {
  return reversesId !== undefined || voucherCode !== undefined || event != null;
}

function rareValuesOf(movements: readonly MovementFacts[]) {
  return {
    columns: sql.raw(', reverses_id, voucher_code, event'),
    values: sql`,
                  ${movements.map((m) => m.reversesId ?? null)}::bigint[], ${movements.map((m) => m.voucherCode ?? null)}::bigint[],
                  ${movements.map((m) => m.event ?? null)}::text[]`,
  };
}

function remaindersOf(members: readonly LockedMember[]) {
  return {
    name: sql.raw('-with-remainders'),
    set: sql.raw(', remainder = c.remainder, remainder_since = c.remainder_since'),
    columns: sql.raw(', remainder, remainder_since'),
    values: sql`,
                    ${members.map((m) => m.remainder?.thousandths ?? null)}::bigint[], ${members.map((m) => m.remainder?.since ?? null)}::integer[]`,
  };
}

/** Returns what stores the lines of purchases in the same statement: a statement of its own would be one more trip. */
function linesOf(movements: Changes['movements']) {
  const listed = movements.flatMap(({ member, lines }, i) =>
    lines === undefined
      ? []
      : [{ commerceId: member.commerceId, memberId: member.id, lines, position: i + 1 }],
  );
  if (listed.length === 0) return NO_LINES;
  return {
    name: sql.raw('-with-lines'),
    before: sql.raw(', stored as ('),
    after: sql`
    ), listed as (
      insert into purchase_lines (commerce_id, purchase_id, member_id, lines)
      select l.commerce_id, s.id, l.member_id, l.lines::jsonb
        from (select id, row_number() over (order by id) as position from stored) as s
        join unnest(${listed.map((l) => l.commerceId)}::bigint[], ${listed.map((l) => l.memberId)}::bigint[],
                    ${listed.map((l) => l.position)}::bigint[], ${listed.map((l) => JSON.stringify(l.lines))}::text[])
               as l(commerce_id, member_id, position, lines) on l.position = s.position
       where l.commerce_id = any(${commercesOf(listed)}::bigint[])
    )
    select id from stored order by id`,
  };
}

/** Stores the lines of purchases once their ids are known. */
async function storeLines(tx: Tx, movements: Changes['movements'], ids: readonly number[]): Promise<void> {
  const listed = movements.flatMap(({ member: { commerceId, id: memberId }, lines }, i) =>
    lines === undefined ? [] : [{ commerceId, memberId, purchaseId: ids[i]!, lines }],
  );
  if (listed.length === 0) return;
  await sql`-- store-purchase-lines
    insert into purchase_lines (commerce_id, purchase_id, member_id, lines)
    select p.commerce_id, p.purchase_id, p.member_id, p.lines::jsonb
      from unnest(${listed.map((p) => p.commerceId)}::bigint[], ${listed.map((p) => p.purchaseId)}::bigint[],
                  ${listed.map((p) => p.memberId)}::bigint[], ${listed.map((p) => JSON.stringify(p.lines))}::text[])
             as p(commerce_id, purchase_id, member_id, lines)
     where p.commerce_id = any(${commercesOf(listed)}::bigint[])`.execute(tx);
}

function emptyDays(days: readonly LotOfMember[]) {
  return sql` emptied as (
      delete from balances b
       ${thoseDays(days)}
    ),`;
}

/** The rest of a statement that deletes these days from `balances b`. */
function thoseDays(days: readonly LotOfMember[]) {
  return sql`using unnest(${days.map((l) => l.commerceId)}::bigint[], ${days.map((l) => l.memberId)}::bigint[],
                    ${days.map((l) => l.expiresOn)}::date[], ${days.map((l) => l.moving)}::boolean[])
               as l(commerce_id, member_id, expires_on, moving)
       where b.commerce_id = any(${commercesOf(days)}::bigint[])
         and b.commerce_id = l.commerce_id and b.member_id = l.member_id
         and b.expires_on = l.expires_on and b.moving = l.moving`;
}

type LotOfMember = Lot & { readonly commerceId: number; readonly memberId: number };

/** Returns the days that changed, with their new points. */
function balancesAfter(member: LockedMember): LotOfMember[] {
  const touched = new Map<string, Lot>();
  for (const { split } of member.movements) {
    for (const lot of split) touched.set(`${lot.expiresOn}/${lot.moving}`, { ...lot, points: 0 });
  }
  for (const lot of member.lots) {
    const key = `${lot.expiresOn}/${lot.moving}`;
    if (touched.has(key)) touched.set(key, lot);
  }
  return [...touched.values()].map((lot) => ({ commerceId: member.commerceId, memberId: member.id, ...lot }));
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
