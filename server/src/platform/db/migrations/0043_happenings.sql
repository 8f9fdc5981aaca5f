-- What happens at a shop and is no movement of the ledger: somebody joined, left, was blocked or erased, reached or lost a level, got a
-- code as a reward; a program was published. Other systems read it together with the movements as one feed of events, so both take their
-- ids from one sequence: the order of the ids is the order of the feed.
--
-- A row is written in the transaction of what it tells, and holds no personal value. Purchases write none. Whoever reads the feed has a
-- row per commerce in `event_feeds`: cursors are good for one epoch, and restoring a backup or importing a commerce begins another.
--
-- Creates empty tables and locks nothing. The previous release keeps running; what happens through it while an upgrade is rolled out is missing in the feed, except its movements.
--
-- Oldest program: 0026_audit_indexes

create table happenings (
  commerce_id  bigint not null references commerces,
  id           bigint not null default nextval('movements_id_seq'),
  type         text not null check (type ~ '^[a-z]+(\.[a-z_]+)+$'),
  -- Null for what concerns the shop as a whole.
  member_id    bigint,
  -- The commerce's time, then the database's own.
  at           timestamptz(3) not null,
  recorded_at  timestamptz(3) not null default clock_timestamp(),
  voucher_code bigint,
  -- Ids and numbers, by the type.
  facts        jsonb not null default '{}',
  primary key (commerce_id, id),
  foreign key (commerce_id, member_id) references members
);

create table event_feeds (
  commerce_id bigint primary key references commerces,
  epoch       bytea not null check (length(epoch) = 8),
  -- Hides the ids of events and the codes of vouchers on the wire.
  key         bytea not null check (length(key) = 12)
);
