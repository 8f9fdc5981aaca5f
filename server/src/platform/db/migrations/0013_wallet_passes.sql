-- Passes in the wallets of members' phones: which there are, what they show, and which devices want to be told when that
-- changes.
--
-- Only creates tables. Locks nothing and moves no data. The previous release ignores them.

-- One row for each commerce with passes.
create table wallet_shops (
  commerce_id     bigint primary key references commerces,
  -- The commerce's name at Google, after the issuer's ID.
  google_class    text not null unique check (google_class ~ '^[\w-]{1,64}$'),
  -- The hash of what Google was told about the commerce. Null until it was told.
  google_sent     bytea,
  -- The movement up to which the ledger was searched for members with passes.
  searched_to     bigint not null,
  searched_at     timestamptz(3) not null default now()
);

create table wallet_passes (
  commerce_id   bigint not null references wallet_shops,
  -- Random. Names the pass at Apple and Google.
  serial        text not null check (serial ~ '^[\w-]{1,64}$'),
  member_id     bigint not null,
  kind          text not null check (kind in ('apple', 'google')),
  -- The hashes of the tokens of Apple's last downloads, newest first. A device that registers keeps its own.
  token_hashes  bytea[] not null default '{}' check (cardinality(token_hashes) <= 5),
  created_at    timestamptz(3) not null default now(),
  -- The hash of what the pass shows, and when that last changed.
  shown         bytea,
  changed_at    timestamptz(3) not null default clock_timestamp(),
  -- The hash of what the wallets were last told. Null if somebody must be told again.
  sent          bytea,
  -- When the pass was last compared with the member.
  checked_at    timestamptz(3) not null default clock_timestamp(),
  -- When it is to be compared again. Null if nothing is known to have changed.
  due_at        timestamptz(3),
  leased_until  timestamptz(3),
  attempts      integer not null default 0,
  last_error    text,
  primary key (commerce_id, serial),
  unique (commerce_id, member_id, kind),
  foreign key (commerce_id, member_id) references members
);

create index wallet_passes_due on wallet_passes (due_at) where due_at is not null;
create index wallet_passes_checked on wallet_passes (checked_at) where due_at is null;

-- The devices that hold one of Apple's passes.
create table wallet_devices (
  commerce_id   bigint not null,
  serial        text not null,
  -- Chosen by the device.
  device        text not null check (length(device) <= 128),
  push_token    text not null check (length(push_token) <= 256),
  token_hash    bytea not null check (length(token_hash) = 32),
  registered_at timestamptz(3) not null default now(),
  primary key (commerce_id, serial, device),
  foreign key (commerce_id, serial) references wallet_passes on delete cascade
);

-- A device asks for its changed passes over all commerces.
create index wallet_devices_of_device on wallet_devices (device);
