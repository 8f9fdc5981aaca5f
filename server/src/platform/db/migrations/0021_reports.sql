-- Runs outside a transaction.
--
-- Reports: figures of each day, which a job counts from the ledger, and what lists of movements and people by time need.
--
-- Creates three tables, which locks nothing. The indexes are built concurrently, while reads and writes go on: about a second
-- for a million rows each. Building them waits for transactions that are already open, a backup included. No purchase writes
-- to any of them. If it is interrupted, this file simply runs again.
--
-- The previous release keeps running. It has no job that counts; what it records is counted later, and added on every read
-- until then.

-- How far the ledger of a commerce is counted. Only the job writes here, so purchases share no row.
create table if not exists report_progress (
  commerce_id bigint primary key references commerces,
  -- All movements up to this id are in the figures, and no others.
  counted_to  bigint not null,
  -- The time zone of the days. After a change of the zone, everything is counted anew.
  time_zone   text not null,
  counted_at  timestamptz(3) not null default now()
);

-- The movements of a local day, by kind: the type of the movement, but adjustments are `added`, `taken` or `erased`. Changes of
-- dates are left out.
create table if not exists report_days (
  commerce_id bigint not null references commerces,
  day         date not null,
  kind        text not null check (kind in ('purchase', 'reversal', 'exchange', 'give_back', 'usage', 'reward',
                                            'added', 'taken', 'erased', 'expiry')),
  movements   bigint not null,
  points      bigint not null,
  amount      bigint not null,
  primary key (commerce_id, day, kind)
);

-- The people who were active on a day, by the day on which they were active before. `-infinity` is never. Whoever is active in a
-- range is once in it with an earlier day than its first, so any range can be counted by adding.
create table if not exists report_active (
  commerce_id bigint not null references commerces,
  day         date not null,
  before      date not null check (before < day),
  people      bigint not null,
  primary key (commerce_id, day, before)
);

drop index concurrently if exists movements_by_kind;

-- Lists what a figure is made of, newest first. Purchases have an index of their own.
create index concurrently movements_by_kind on movements (commerce_id, type, at, id) where type not in ('purchase', 'redate');

drop index concurrently if exists vouchers_issued;
drop index concurrently if exists vouchers_used;
drop index concurrently if exists vouchers_given_back;

-- Count codes by day and benefit. The columns in `include` never change.
create index concurrently vouchers_issued on vouchers (commerce_id, issued_at, code) include (benefit_id, source, cost);
create index concurrently vouchers_used on vouchers (commerce_id, used_at, benefit_id) where used_at is not null;
create index concurrently vouchers_given_back on vouchers (commerce_id, given_back_at, code) include (benefit_id)
  where given_back_at is not null;

drop index concurrently if exists members_enrolled;
drop index concurrently if exists members_left;

-- Count and list who joined and left.
create index concurrently members_enrolled on members (commerce_id, enrolled_at, id) where enrolled_at is not null;
create index concurrently members_left on members (commerce_id, left_at, id) where left_at is not null;

drop index concurrently if exists outbox_failed;

-- Counts the mails that could not be sent. Hardly any row is in it.
create index concurrently outbox_failed on outbox (commerce_id, failed_at) where failed_at is not null;
