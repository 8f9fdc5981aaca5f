-- Seals: a job adds each movement, in the order of its id, to a Merkle tree of its commerce and keeps the root. Whoever has kept
-- an older root can tell whether the history behind it was changed since. docs/seals.md explains the formats.
--
-- Creates tables, and adds a column without a default to `movement_notes`: the locks last milliseconds.
--
-- The previous release keeps running. It has no job that seals; what it records is sealed later, and what it erases takes the
-- salt with it, because the salt is a column of the row that it deletes.
--
-- Oldest program: 0026_audit_indexes

-- How far the ledger of a commerce is sealed. Only the job writes here, so purchases share no row.
create table seal_logs (
  commerce_id bigint primary key references commerces,
  -- The name of the log, in the first line of each head. It is random, so no two commerces have one in common; a commerce that moves
  -- to another installation takes it along.
  origin      text not null unique check (origin ~ '^[!-~]+$'),
  -- The number of sealed movements.
  size        bigint not null default 0 check (size >= 0),
  -- All movements up to this id are sealed, and no others.
  through_id  bigint not null default 0,
  sealed_at   timestamptz(3),
  -- The newest head that was sent out.
  published_size bigint not null default 0,
  published_at   timestamptz(3)
);

-- One row for each batch of movements that the job sealed. `origin`, `size` and `root` are a head. Each root covers all movements
-- under the one before.
create table seals (
  commerce_id   bigint not null references seal_logs,
  -- The number of movements under this head.
  size          bigint not null check (size > 0),
  through_id    bigint not null,
  -- The root of the tree over the first `size` movements, as in RFC 6962.
  root          bytea not null check (length(root) = 32),
  -- The sums of these movements.
  points        numeric not null,
  points_earned numeric not null,
  amount        numeric not null,
  purchases     numeric not null,
  sealed_at     timestamptz(3) not null,
  primary key (commerce_id, size)
);

-- The hashes of the tree, in tiles of 256, as in tlog-tiles. A tile of level 0 has the hashes of movements, and one of level n
-- those of full tiles of the level below. The last tile of a level may have fewer.
create table seal_tiles (
  commerce_id bigint not null references seal_logs,
  level       smallint not null check (level >= 0),
  index       bigint not null check (index >= 0),
  -- Level 0 only: the tile covers the movements with an id above the first and up to the second.
  after_id    bigint,
  through_id  bigint,
  hashes      bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (commerce_id, level, index),
  constraint a_tile_of_movements_has_its_range check ((level = 0) = (after_id is not null and through_id is not null))
);

-- Hashes cannot be compressed.
alter table seal_tiles alter column hashes set storage external;

-- The sums of the sealed movements of each member. No column but the primary key is indexed, so that an update stays on its page.
create table seal_members (
  commerce_id   bigint not null references seal_logs,
  member_id     bigint not null,
  movements     bigint not null,
  points        bigint not null,
  points_earned bigint not null,
  amount        bigint not null,
  purchases     bigint not null,
  primary key (commerce_id, member_id)
) with (fillfactor = 70);

-- A note that a person typed is sealed by the SHA-256 of its salt and its text. Erasing the person deletes the row, and with it
-- the salt. What is left in `seal_notes` tells nobody what the note was.
alter table movement_notes add column salt bytea check (length(salt) = 32);

-- Keeps the seal of a movement right after its note is gone.
create table seal_notes (
  commerce_id bigint not null references seal_logs,
  movement_id bigint not null,
  digest      bytea not null check (length(digest) = 32),
  primary key (commerce_id, movement_id),
  foreign key (commerce_id, movement_id) references movements
);
