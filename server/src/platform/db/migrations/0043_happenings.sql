-- What happens at a shop and is no movement of the ledger: somebody joined, left, was blocked or erased, reached or lost a level, got a
-- code as a reward; a program was published. Other systems read it together with the movements as one feed of events, so both take their
-- ids from one sequence: the order of the ids is the order of the feed.
--
-- A row is written in the transaction of what it tells, and holds no personal value. Purchases write none. Whoever reads the feed has a
-- row per commerce in `event_feeds`: cursors are good for one epoch, and restoring a backup or importing a commerce begins another.
--
-- Creates tables, adds two rows to `wire_ids`, checks that small table, and makes an index with a row for each
-- 256 movements; only the job that seals waits for it. Locks nothing else for longer than an instant. The previous release keeps running; what
-- happens through it while an upgrade is rolled out is missing in the feed, except its movements.
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

-- An event that is a sealed movement names its place in the tree, which is found by the tile that the movement is in.
create index seal_tiles_by_movement on seal_tiles (commerce_id, after_id) where level = 0;

create table event_feeds (
  commerce_id bigint primary key references commerces,
  epoch       bytea not null check (length(epoch) = 8)
);

alter table wire_ids drop constraint wire_ids_kind_check;
alter table wire_ids add constraint wire_ids_kind_check
  check (kind in ('purchase', 'user', 'member', 'staff', 'audit', 'key', 'event', 'voucher'));
insert into wire_ids (kind, key, plain_to)
select kind, substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 12), 0
  from unnest(array['event', 'voucher']) as kind;
