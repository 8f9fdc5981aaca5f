/**
 * All tables, by whose rows they hold. A test compares them with the schema that the migrations make, so a new table is in one of these
 * lists, with the reason if it is no tenant's.
 */
export const TABLES = {
  /**
   * A row is of one commerce: the primary key begins with `commerce_id`, and so does each unique constraint and each foreign key to another
   * of these tables. Statements compare `commerce_id` with a value, so a cluster could send each to the machine that has the commerce.
   */
  tenant: [
    'api_key_uses',
    'audit',
    'audit_texts',
    'balances',
    'benefits',
    'clock_moves',
    'commerce_jobs',
    'commerce_wire_ids',
    'commit_marks',
    'enrolments',
    'event_feeds',
    'full_cards',
    'happenings',
    'holds',
    'idempotency_keys',
    'ignored_fields',
    'invitation_days',
    'invitations',
    'key_undos',
    'ledger_checks',
    'mail_stops',
    'member_words',
    'members',
    'movement_notes',
    'movements',
    'order_codes',
    'order_lines',
    'orders',
    'pending_benefits',
    'pending_points',
    'pictures',
    'problem_calls',
    'programs',
    'purchase_lines',
    'redemptions',
    'reminders',
    'report_active',
    'report_days',
    'report_progress',
    'rewards',
    'seal_logs',
    'seal_members',
    'seal_notes',
    'seal_tiles',
    'seals',
    'staff',
    'stamp_cards',
    'vouchers',
    'wallet_devices',
    'wallet_passes',
    'wallet_shops',
    'webhook_deliveries',
    'webhooks',
    'welcomed_mailboxes',
    'withheld_rewards',
  ],
  /** Small and seldom written, so each machine of a cluster can have them whole. Tenant tables refer to all but the heartbeat. */
  reference: {
    commerces: 'is the commerce',
    api_keys: 'finds the commerce by the hash of its key',
    cluster_heartbeat: 'a number of which each machine of a cluster has its own copy',
    users: 'a person, over all commerces',
    staff_people: 'a person of the staff, over all commerces',
  },
  /** Of the installation. No tenant table refers to them, so they could all stay on one machine. */
  installation: {
    jobs: 'a lease for each kind of job',
    mail_suppressions:
      'all mails of the installation leave from one address, so a mailbox counts for all commerces',
    outbox: 'one sender takes the mails of all',
    refresh_tokens: 'of a session',
    schema_migrations: 'of the database',
    sessions: 'a person’s, over all commerces',
    set_ups: 'becomes a commerce',
    sign_in_codes: 'of a mailbox; those of the staff are of no commerce',
    sign_in_failure_counts: 'caps failures over all commerces',
    sign_in_failures: 'counts an address over all commerces',
    sign_in_known_networks: 'a person’s networks, over all commerces',
    sign_in_networks: 'counts a client network over all commerces',
    sign_in_sends: 'of a mailbox; those of the staff are of no commerce',
    staff_sessions: 'a person’s, over all commerces',
    watched_work: 'a backup has all commerces, and so have the heads that are published together',
    wire_ids: 'hides ids that count up over all commerces',
  },
} as const;

export type InstallationTable = keyof typeof TABLES.installation;
export type TenantTable = (typeof TABLES.tenant)[number];
