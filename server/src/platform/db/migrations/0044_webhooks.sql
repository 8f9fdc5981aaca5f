-- Webhooks: the service sends what happens at a shop to addresses that the shop has chosen.
--
-- An endpoint has a place in the feed of events: each event up to it was taken by the receiver or is a row of `webhook_deliveries` that
-- waits. So an event costs nothing while it is delivered at once, and a backlog of any length is one number. Besides what waits or was
-- given up, `webhook_deliveries` has the last deliveries of each endpoint, for the people of the shop.
--
-- Creates empty tables and locks nothing. The previous release keeps running, and sends nothing.
--
-- Oldest program: 0026_audit_indexes

create table webhooks (
  commerce_id      bigint not null references commerces,
  -- Random: it says nothing about other shops.
  id               text not null check (id ~ '^we_[0-9A-Za-z]{20}$'),
  address          text not null check (length(address) between 1 and 2000),
  name             text not null check (length(name) between 1 and 100),
  -- None means all types, also those of later releases.
  types            text[] not null default '{}',
  scopes           text[] not null default '{}',
  created_at       timestamptz(3) not null default now(),
  -- Encrypted with the secret key of the installation.
  secret           bytea not null,
  old_secret       bytea,
  old_secret_until timestamptz(3),
  -- Null while it is sent to.
  disabled_at      timestamptz(3),
  disabled_because text check (disabled_because in ('owner', 'failing', 'gone')),
  -- The id up to which each event was taken or waits as a row. A replay is a range of ids beside it.
  through          bigint not null,
  replay_after     bigint,
  replay_through   bigint,
  -- Not tried before `next_at`. `retry_at` is the first time of a delivery that waits.
  next_at          timestamptz(3) not null default now(),
  retry_at         timestamptz(3),
  -- A process that sends has the lease for a turn.
  leased_until     timestamptz(3),
  lease            bigint not null default 0,
  turn_at          timestamptz(3) not null default now(),
  -- Turns without a success since the last one.
  failures         integer not null default 0 check (failures >= 0),
  failing_since    timestamptz(3),
  last_success_at  timestamptz(3),
  -- How long the last answers took; null before the first one.
  answer_ms        integer check (answer_ms >= 0),
  primary key (commerce_id, id),
  check ((disabled_at is null) = (disabled_because is null)),
  check ((old_secret is null) = (old_secret_until is null)),
  check ((replay_after is null) = (replay_through is null))
);

create table webhook_deliveries (
  commerce_id bigint not null,
  webhook_id  text not null,
  -- The event in the feed. Negative for a test, which is no event.
  event_id    bigint not null,
  type        text not null,
  -- Null for what concerns no member. Erasing a member deletes the row.
  member_id   bigint,
  state       text not null check (state in ('waiting', 'delivered', 'failed')),
  attempts    integer not null default 0 check (attempts >= 0),
  created_at  timestamptz(3) not null default now(),
  next_at     timestamptz(3),
  -- The last attempt, or when somebody asked for one. Without a status there was no answer.
  at          timestamptz(3) not null default now(),
  status      integer,
  answer_ms   integer,
  answer      text check (length(answer) <= 256),
  body        text check (length(body) <= 20000),
  primary key (commerce_id, webhook_id, event_id),
  foreign key (commerce_id, webhook_id) references webhooks on delete cascade,
  check ((state = 'waiting') = (next_at is not null))
);

create index webhook_deliveries_by_next on webhook_deliveries (commerce_id, webhook_id, next_at) where state = 'waiting';
create index webhook_deliveries_by_at on webhook_deliveries (commerce_id, webhook_id, at desc, event_id desc);
create index webhook_deliveries_of_member on webhook_deliveries (commerce_id, member_id);
