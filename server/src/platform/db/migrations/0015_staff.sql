-- The shop's own people: who they are, their roles, their sessions, and an audit of what they and the command line do.
--
-- Creates tables, adds a column with a constant default to `api_keys` and drops two foreign keys of small tables: the
-- locks last milliseconds. The foreign keys of `audit` lock `members` and `movements` against writes for as long, because
-- the new table is empty.
--
-- The previous release keeps running. It knows none of these tables, refuses the keys of the back office by their first
-- characters, and its sign-in codes belong to commerces, as before.

-- A person of the staff, over all commerces. Not a user: signing in as staff makes nobody a member.
create table staff_people (
  id         bigint generated always as identity primary key,
  email      text not null unique check (email ~ '^[!-~]+$' and email = lower(email) and length(email) <= 254),
  name       text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null default now()
);

-- What a person may do at a commerce. A row stays when the person is removed, because the audit refers to it.
create table staff (
  commerce_id bigint not null references commerces,
  id          bigint generated always as identity,
  person_id   bigint not null references staff_people,
  role        text not null check (role in ('cashier', 'manager', 'owner')),
  invited_at  timestamptz(3) not null default now(),
  removed_at  timestamptz(3),
  primary key (commerce_id, id)
);

create unique index staff_has_one_role on staff (commerce_id, person_id) where removed_at is null;
create index staff_of_person on staff (person_id) where removed_at is null;

-- A session belongs to a person and is good at every commerce where that person has a role. It is looked up for every
-- request, so that its end and a change of the role count at once in every process.
create table staff_sessions (
  id         bigint generated always as identity primary key,
  -- SHA-256 of the cookie: 256 random bits need no key.
  hash       bytea not null unique check (length(hash) = 32),
  person_id  bigint not null references staff_people,
  started_at timestamptz(3) not null default now(),
  -- The last request, to the minute. A session ends 12 hours after it.
  seen_at    timestamptz(3) not null default now(),
  -- When the person last proved by a code or a link that the mailbox is theirs.
  proved_at  timestamptz(3) not null default now(),
  ends_at    timestamptz(3) not null default now() + interval '30 days',
  ended_at   timestamptz(3)
);

create index staff_sessions_of_person on staff_sessions (person_id) where ended_at is null;

-- Null for a key of the contract. A key of the back office has a role, and begins with `lk_admin_`.
alter table api_keys add column role text check (role in ('cashier', 'manager', 'owner'));

-- The codes of the staff belong to no commerce. They stand under 0 (sign-in) and -1 (a fresh code) in the place of a
-- commerce's id, so a code of one purpose is never found as one of another, and every limit applies to each of them.
alter table sign_in_codes
  drop constraint sign_in_codes_commerce_id_fkey,
  add constraint a_commerce_or_the_staff check (commerce_id >= -1);
alter table sign_in_sends
  drop constraint sign_in_sends_commerce_id_fkey,
  add constraint a_commerce_or_the_staff check (commerce_id >= -1);

-- Every write by the staff, by a key of the back office and by the command line. A row is written in the transaction of
-- the write. It holds no personal values of members: those are in `audit_texts`.
create table audit (
  commerce_id bigint not null references commerces,
  id          bigint generated always as identity,
  -- The database's time, not the commerce's.
  at          timestamptz(3) not null default clock_timestamp(),
  -- Such as `points.adjust`.
  action      text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  actor       text not null check (actor in ('staff', 'key', 'command_line')),
  staff_id    bigint,
  session_id  bigint references staff_sessions,
  key_id      bigint,
  -- The client network of a request; the user of the operating system on the command line.
  source      text,
  member_id   bigint,
  -- The movement that the write stored, so that a line of the history tells who caused it.
  movement_id bigint,
  -- What it was done to, if that is no member.
  subject     text,
  before      jsonb,
  after       jsonb,
  primary key (commerce_id, id),
  foreign key (commerce_id, staff_id) references staff,
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id),
  foreign key (commerce_id, member_id) references members,
  foreign key (commerce_id, movement_id) references movements,
  constraint an_actor_is_named check (
    (actor = 'staff') = (staff_id is not null) and (actor = 'staff') = (session_id is not null)
    and (actor = 'key') = (key_id is not null))
);

create index audit_of_member on audit (commerce_id, member_id, id desc) where member_id is not null;
-- What a register did on a day. Purchases of the contract have no row here, so they do not pay for it.
create index audit_of_register on audit (commerce_id, (coalesce(after ->> 'register_id', '')), at desc, id desc)
  where action in ('purchase.record', 'purchase.reverse', 'voucher.redeem');
create index audit_of_movement on audit (commerce_id, movement_id) where movement_id is not null;

-- Personal values and free text of an audit row. Erasing a person deletes them.
create table audit_texts (
  commerce_id bigint not null,
  audit_id    bigint not null,
  member_id   bigint,
  before      jsonb,
  after       jsonb,
  reason      text,
  primary key (commerce_id, audit_id),
  foreign key (commerce_id, audit_id) references audit,
  foreign key (commerce_id, member_id) references members
);

create index audit_texts_of_member on audit_texts (commerce_id, member_id) where member_id is not null;

create function refuse_change_of_audit() returns trigger language plpgsql as
  $$ begin raise exception 'the audit is append-only'; end $$;
create trigger audit_is_append_only before update or delete on audit
  for each row execute function refuse_change_of_audit();
create trigger audit_is_not_emptied before truncate on audit
  for each statement execute function refuse_change_of_audit();
create trigger audit_texts_are_never_changed before update on audit_texts
  for each row execute function refuse_change_of_audit();

-- Nothing was handed out before, so all of these ids are hidden.
alter table wire_ids drop constraint wire_ids_kind_check;
alter table wire_ids add constraint wire_ids_kind_check
  check (kind in ('purchase', 'user', 'member', 'staff', 'audit'));
insert into wire_ids (kind, key, plain_to)
select kind, substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 12), 0
  from unnest(array['member', 'staff', 'audit']) as u(kind);
