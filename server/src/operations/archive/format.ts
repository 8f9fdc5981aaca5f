/**
 * The format of an archive, which holds one commerce. docs/archive-format.md describes it for readers of other programs. Anyone who changes
 * its content gives it the next version and goes on reading the versions before.
 */
export const FORMAT = 'loyalty-archive';
export const FORMAT_VERSION = 2;

/** Ids on the wire have 48 bits. An archive that comes near to that would leave no ids for anybody else. */
export const HIGHEST_ID = 2 ** 46;

/** The first line of an archive. */
export interface ArchiveHeader {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly exported_at: string;
  readonly commerce: ArchivedCommerce;
  /** How the ids of the commerce are hidden on the wire; the keys as hexadecimal digits. */
  readonly wire_ids: readonly { readonly kind: string; readonly key: string; readonly plain_to: number }[];
}

/** The row of the commerce itself. Its id is not in it, because an installation gives its own. */
export interface ArchivedCommerce {
  readonly slug: string;
  readonly status: 'active' | 'paused' | 'closed';
  readonly sandbox: boolean;
  readonly time_zone: string;
  readonly clock_offset: string;
  readonly program_version: number;
  readonly created_at: string;
}

/** The last line of an archive. */
export interface ArchiveEnd {
  /** The number of rows of each table. */
  readonly end: Readonly<Record<string, number>>;
  /** Of all bytes before this line, uncompressed. */
  readonly sha256: string;
}

/** One table of an archive. */
export interface ArchivedTable {
  readonly name: string;
  /** Its columns, without the commerce's id. */
  readonly columns: readonly string[];
  /** The order of its rows. A row that refers to another of the same table comes after it. */
  readonly order: readonly string[];
  /**
   * 'commerce': the table has a commerce_id. Tables of the installation contain the rows that the commerce refers to, and an import
   * finds or creates them by a value of their own.
   */
  readonly of: 'commerce' | 'installation';
}

function table(name: string, order: string, columns: string): ArchivedTable {
  return { name, order: order.split(' '), columns: columns.split(/\s+/), of: 'commerce' };
}

/** The tables of an archive in their order: a row comes after the rows that it refers to. */
export const ARCHIVED_TABLES: readonly ArchivedTable[] = [
  { name: 'users', order: ['email'], columns: ['id', 'email', 'created_at'], of: 'installation' },
  {
    name: 'staff_people',
    order: ['email'],
    columns: ['id', 'email', 'name', 'created_at'],
    of: 'installation',
  },
  {
    name: 'mail_suppressions',
    order: ['mailbox_hash'],
    columns: ['mailbox_hash', 'reason', 'since'],
    of: 'installation',
  },
  table('staff', 'id', 'id person_id role invited_at removed_at'),
  table('api_keys', 'id', 'id hash name prefix role scopes created_at revoked_at ends_at replaces_id'),
  table('api_key_uses', 'key_id', 'key_id last_used_at'),
  table('programs', 'version', 'version program applied_at in_force_at actor staff_id key_id note changes'),
  table('pictures', 'hash', 'hash width height large small uploaded_at'),
  table(
    'benefits',
    'id',
    `id position benefit_type type title description cost value color image product shop_coupon expires_at valid_days
     buy_limit sold on_sale withdrawn_at version`,
  ),
  table('enrolments', 'total', 'total'),
  table(
    'members',
    'id',
    `id state email user_id code ordinal username phone birth_date birth_date_set_at enrolled_at left_at blocked_at
     block_reason erased_at invited_at created_at points_earned amount_spent purchases moved_on tier_rank
     tier_reached_at tier_expires_on tier_expired tier_pinned tier_period_base_points tier_period_base_amount
     tier_climb_base_points tier_climb_base_amount tier_id tier_period_from tier_climb_from tier_pinned_at
     tier_beneath remainder remainder_since`,
  ),
  table('balances', 'member_id expires_on moving', 'member_id expires_on moving points'),
  table(
    'movements',
    'id',
    `id member_id type at recorded_at points points_earned amount purchases split snapshot branch_id register_id
     reverses_id voucher_code event note balance_after`,
  ),
  table('pending_points', 'member_id purchase_id', 'member_id purchase_id points due_at becomes'),
  table('pending_benefits', 'member_id tier_id', 'member_id tier_id purchase_id'),
  table('movement_notes', 'movement_id', 'movement_id member_id note salt'),
  table(
    'vouchers',
    'code',
    'code member_id benefit_id benefit source cost issued_at due_at used_at given_back_at first_due_at tier_id',
  ),
  table(
    'stamp_cards',
    'member_id stamp_id card',
    'member_id stamp_id card have ends_on stamped_at filled ended',
  ),
  table(
    'full_cards',
    'member_id stamp_id ordinal',
    'member_id stamp_id ordinal need benefit_id purchase_id code taken_at',
  ),
  table('redemptions', 'external_id code', 'external_id code member_id use_id used_at undo_id undone_at'),
  table(
    'orders',
    'external_id',
    `external_id member_id purchase_id status paid refunded version content refusal placed_at paid_at`,
  ),
  table('order_codes', 'external_id code', 'external_id code state reason'),
  table('order_lines', 'external_id', 'external_id member_id stored_at lines'),
  table('purchase_lines', 'purchase_id', 'purchase_id member_id stored_at lines'),
  table('rewards', 'member_id event period', 'member_id event period given_at'),
  table(
    'withheld_rewards',
    'member_id event period',
    'member_id event period benefit_id reason at logged_at',
  ),
  table('idempotency_keys', 'operation key', 'operation key fingerprint result created_at from_call'),
  table('welcomed_mailboxes', 'mailbox_hash', 'mailbox_hash'),
  table('invitations', 'mailbox_hash', 'mailbox_hash sent_at'),
  table('invitation_days', 'day', 'day wanted'),
  table('mail_stops', 'member_id kind', 'member_id kind stopped_at'),
  table('reminders', 'member_id days_before expires_on', 'member_id expires_on days_before told_at'),
  table('commerce_jobs', 'job', 'job failing_since last_error settled_month told_until told_code'),
  table(
    'audit',
    'id',
    'id at action actor staff_id key_id source member_id movement_id subject before after',
  ),
  table('audit_texts', 'audit_id', 'audit_id member_id before after reason'),
  // The seals go along, because the leaf of a movement does not name the commerce: heads that were published before still hold.
  table('seal_logs', 'origin', 'origin size through_id sealed_at published_size published_at'),
  table('seals', 'size', 'size through_id root points points_earned amount purchases sealed_at'),
  table('seal_tiles', 'level index', 'level index after_id through_id hashes'),
  table('seal_notes', 'movement_id', 'movement_id digest'),
  table('seal_members', 'member_id', 'member_id movements points points_earned amount purchases'),
];

/**
 * The versions from which on an archive has a column and a table. The database gives its default to the rows of older archives, and the
 * table is then empty.
 */
const COLUMNS_SINCE: Readonly<Record<string, number>> = {
  'api_keys.scopes': 2,
  'members.remainder': 2,
  'members.remainder_since': 2,
  'vouchers.first_due_at': 2,
  'commerce_jobs.told_until': 2,
  'commerce_jobs.told_code': 2,
};
const TABLES_SINCE: Readonly<Record<string, number>> = {
  pending_points: 2,
  pending_benefits: 2,
  stamp_cards: 2,
  full_cards: 2,
  redemptions: 2,
  orders: 2,
  order_codes: 2,
  order_lines: 2,
  purchase_lines: 2,
};

/** Returns the tables of an archive of a version, with the columns that it has; null if no archive has this version. */
export function tablesOfVersion(version: unknown): readonly ArchivedTable[] | null {
  if (typeof version !== 'number' || !Number.isInteger(version)) return null;
  if (version < 1 || version > FORMAT_VERSION) return null;
  return ARCHIVED_TABLES.filter(({ name }) => (TABLES_SINCE[name] ?? 1) <= version).map((one) => ({
    ...one,
    columns: one.columns.filter((column) => (COLUMNS_SINCE[`${one.name}.${column}`] ?? 1) <= version),
  }));
}
