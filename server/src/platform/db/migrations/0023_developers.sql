-- What owners see of their keys, their failed calls, their sandbox's clock and their audit.
--
-- Creates three tables and adds two columns without a default to `api_keys`. The locks last milliseconds, because a commerce
-- has few keys. The indexes of `audit` are built in 0026, while writes go on.
--
-- The previous release keeps running. It does not know `ends_at`, so a key that was replaced works there until somebody
-- revokes it; nothing else differs.

-- A key that was replaced is accepted until `ends_at`, by the database's time. `revoked_at` still ends any key at once.
alter table api_keys
  add column ends_at     timestamptz(3),
  -- The key whose place it takes.
  add column replaces_id bigint,
  add constraint a_key_replaces_one_of_its_commerce
    foreign key (commerce_id, replaces_id) references api_keys (commerce_id, id);

-- A key is replaced once.
create unique index api_keys_replaced_once on api_keys (commerce_id, replaces_id) where replaces_id is not null;

-- When a key was last used, to about a minute. It is apart from `api_keys`, whose rows are read for every call and locked by
-- writes of the back office. Processes keep it in memory and write it every few seconds.
create table api_key_uses (
  commerce_id  bigint not null,
  key_id       bigint not null,
  last_used_at timestamptz(3) not null,
  primary key (commerce_id, key_id),
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id)
) with (fillfactor = 70);

-- Calls with a key that were refused or failed, for whoever is looking for the reason. Neither bodies nor values of paths, nor
-- the addresses of callers. Old rows are deleted, and a commerce has a limited number.
create table problem_calls (
  commerce_id bigint not null,
  id          bigint generated always as identity,
  at          timestamptz(3) not null,
  key_id      bigint not null,
  method      text not null,
  route       text not null,
  status      smallint not null,
  code        text,
  request_id  text not null,
  primary key (commerce_id, id),
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id)
);

create index problem_calls_by_time on problem_calls (at);

-- Moves of a sandbox's clock. A process carries them out one after the other, and continues those of a process that has ended.
create table clock_moves (
  commerce_id  bigint not null references commerces,
  id           bigint generated always as identity,
  -- The database's time; `from_at` and `to_at` are the commerce's.
  at           timestamptz(3) not null default now(),
  actor        text not null check (actor in ('staff', 'key', 'command_line')),
  staff_id     bigint,
  key_id       bigint,
  from_at      timestamptz(3) not null,
  to_at        timestamptz(3) not null check (to_at >= from_at),
  -- Until then, the process that carries it out needs not be asked again.
  leased_until timestamptz(3),
  -- Members that each job has changed so far, by the name of the job.
  due          json not null default '{}',
  failures     integer not null default 0,
  ended_at     timestamptz(3),
  -- False if it ended before it reached `to_at`.
  has_arrived  boolean,
  primary key (commerce_id, id),
  foreign key (commerce_id, staff_id) references staff,
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id),
  check ((ended_at is null) = (has_arrived is null))
);

create unique index one_clock_move_at_a_time on clock_moves (commerce_id) where ended_at is null;

alter table wire_ids drop constraint wire_ids_kind_check;
alter table wire_ids add constraint wire_ids_kind_check
  check (kind in ('purchase', 'user', 'member', 'staff', 'audit', 'key'));
insert into wire_ids (kind, key, plain_to)
values ('key', substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 12), 0);
