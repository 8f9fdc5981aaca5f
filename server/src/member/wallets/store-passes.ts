/** The rows of passes and of the devices that hold them. */
import { createHash, randomBytes } from 'node:crypto';
import { sql, type Database, type Db } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import type { WalletKind } from './ticket.ts';

/** A pass as Google or Apple know it. */
export interface IssuedPass {
  readonly serial: string;
  /** The commerce’s name at Google, and whether Google has been told about it. */
  readonly googleClass: string;
  readonly knowsShop: boolean;
}

/** A member’s card that is added to a wallet. */
export interface PassToIssue {
  readonly commerceId: number;
  readonly memberId: number;
  readonly kind: WalletKind;
  /** The token in this download; null for Google, which needs none. */
  readonly token: string | null;
  /** The hash of what the pass shows now. */
  readonly shown: Buffer;
  /** Whether the wallet shows that already, because the member downloads it. */
  readonly isSent: boolean;
}

/**
 * Where the search of a new shop’s ledger begins, before its newest movement. Ids count up over all shops, so even at 5,000
 * movements a second this is further back than the longest transaction that is not committed yet.
 */
const SEARCH_BACK = 100_000;

/**
 * Stores that a member’s card is added to a wallet, and looks at it again soon. There is one pass for each member and kind
 * of wallet, however often it is added. It keeps the tokens of the last five downloads.
 * @throws NotFound if the member was erased meanwhile
 */
export async function issuePass(database: Database, pass: PassToIssue): Promise<IssuedPass> {
  const { commerceId, memberId, kind, token, shown, isSent } = pass;
  await sql`-- open-wallet-shop
    insert into wallet_shops (commerce_id, google_class, searched_to)
    select ${commerceId}, ${randomName()},
           greatest(0, coalesce(max(id), 0) - ${SEARCH_BACK})
      from movements
     where commerce_id = ${commerceId}
        on conflict do nothing`.execute(database);
  const hashes = token === null ? [] : [hashToken(token)];
  const { rows } = await sql<Pick<IssuedPass, 'serial'>>`-- issue-wallet-pass
    insert into wallet_passes as p (commerce_id, serial, member_id, kind, token_hashes, shown, sent, due_at)
    select m.commerce_id, ${randomName()}, m.id, ${kind}, ${hashes}::bytea[], ${shown}::bytea,
           case when ${isSent}::boolean then ${shown}::bytea end, now()
      from members m
     where m.commerce_id = ${commerceId} and m.id = ${memberId} and m.erased_at is null
       for key share of m
        on conflict (commerce_id, member_id, kind) do update
       -- Not by a slice: Citus 14.0.1 crashes on one in this place.
       set token_hashes = trim_array(excluded.token_hashes || p.token_hashes,
                                     greatest(0, cardinality(excluded.token_hashes || p.token_hashes) - 5)),
           due_at = excluded.due_at, attempts = 0
    returning p.serial`.execute(database);
  if (rows.length === 0) throw new NotFound('no card: the member was erased');
  const { rows: shops } = await sql<Omit<IssuedPass, 'serial'>>`-- read-wallet-shop
    select google_class as "googleClass", google_sent is not null as "knowsShop"
      from wallet_shops
     where commerce_id = ${commerceId}`.execute(database);
  return { ...rows[0]!, ...shops[0]! };
}

/** One of Apple’s passes, as the web service finds it by serial and token. */
export interface OwnPass {
  readonly memberId: number;
  readonly changedAt: Date;
}

/** Finds one of Apple’s passes by its serial and one of its tokens. Returns null if either is not right. */
export async function findOwnPass(db: Db, name: PassName, token: string): Promise<OwnPass | null> {
  const { commerceId, serial } = name;
  const hash = hashToken(token);
  const { rows } = await sql<OwnPass>`-- find-wallet-pass
    select p.member_id as "memberId", p.changed_at as "changedAt"
      from wallet_passes p
     where p.commerce_id = ${commerceId} and p.serial = ${serial} and p.kind = 'apple'
       and (p.token_hashes @> array[${hash}::bytea]
            or exists (select from wallet_devices d
                        where d.commerce_id = p.commerce_id and d.serial = p.serial and d.token_hash = ${hash}))`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** The name of a pass at Apple: the commerce and the serial, joined by a dot. */
export interface PassName {
  readonly commerceId: number;
  readonly serial: string;
}

export function writePassName({ commerceId, serial }: PassName): string {
  return `${commerceId}.${serial}`;
}

/** Returns null if it is no name of ours. */
export function readPassName(text: string): PassName | null {
  const [, id, serial] = /^([1-9]\d{0,14})\.([\w-]{1,64})$/.exec(text) ?? [];
  return id === undefined ? null : { commerceId: Number(id), serial: serial! };
}

/** Devices of one pass. A phone may change its name, so the oldest makes room instead of the newest being refused. */
const MOST_DEVICES = 20;

/** Registers a device for the updates of a pass. Returns whether it is new. */
export async function registerDevice(
  database: Database,
  { commerceId, serial }: PassName,
  device: { readonly id: string; readonly pushToken: string; readonly token: string },
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`-- register-wallet-device
    with spare as (
      delete from wallet_devices
       where commerce_id = ${commerceId} and serial = ${serial} and device in
             (select device from wallet_devices
               where commerce_id = ${commerceId} and serial = ${serial} and device <> ${device.id}
               order by registered_at desc offset ${MOST_DEVICES - 1})
    ), due as (
      -- The balance may have changed between the download and now.
      update wallet_passes set sent = null, due_at = now(), attempts = 0
       where commerce_id = ${commerceId} and serial = ${serial}
    )
    insert into wallet_devices as d (commerce_id, serial, device, push_token, token_hash)
    values (${commerceId}, ${serial}, ${device.id}, ${device.pushToken}, ${hashToken(device.token)})
        on conflict (commerce_id, serial, device) do update
       set push_token = excluded.push_token, token_hash = excluded.token_hash, registered_at = excluded.registered_at
    returning d.xmax = 0 as "isNew"`.execute(database);
  return rows[0]!.isNew;
}

/** Ends the updates of a pass on a device. */
export async function unregisterDevice(
  database: Database,
  { commerceId, serial }: PassName,
  device: string,
): Promise<void> {
  await sql`-- unregister-wallet-device
    delete from wallet_devices
     where commerce_id = ${commerceId} and serial = ${serial} and device = ${device}`.execute(database);
}

/**
 * Finds the passes of a device that have changed since, over all commerces, because a phone asks for all of them at once. A
 * few seconds more are looked back, for changes that were committed late.
 */
export async function findChangedPasses(
  db: Db,
  device: string,
  since: Date,
): Promise<(PassName & { changedAt: Date })[]> {
  const { rows } = await sql<PassName & { changedAt: Date }>`-- changed-wallet-passes
    select p.commerce_id as "commerceId", p.serial, p.changed_at as "changedAt"
      from wallet_devices d
      join wallet_passes p on p.commerce_id = d.commerce_id and p.serial = d.serial
     where d.device = ${device} and p.changed_at > ${since}::timestamptz - interval '5 seconds'
     order by p.changed_at desc
     limit 1000`.execute(db);
  return rows;
}

/** A token for Apple’s web service, with 256 random bits. Only its hash is stored. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function randomName(): string {
  return randomBytes(16).toString('base64url');
}
