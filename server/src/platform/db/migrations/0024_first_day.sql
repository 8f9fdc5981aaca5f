-- Setting up a shop in the browser: the links that lead there, and what has been answered so far.
--
-- Creates a table, lets `outbox.commerce_id` be null and replaces two check constraints. The new checks scan the sign-in
-- codes and sends of the last days: the locks last milliseconds.
--
-- The previous release keeps running. It joins each mail with its commerce, so it leaves the mails of nobody's shop to
-- this release, and it never looks for a code under -2.

-- A link, and the set-up of the person who has opened it. Belongs to no commerce, because there is none yet. Rows are
-- deleted 30 days after their end.
create table set_ups (
  id           bigint generated always as identity primary key,
  -- SHA-256 of the token in the link: 256 random bits need no key.
  token_hash   bytea not null unique check (length(token_hash) = 32),
  -- True for the link that a start without any commerce prints: it is worth nothing once there is one.
  for_first    boolean not null,
  made_at      timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null,
  -- The person who has proved an address with the link. From then on, the link works for that address only.
  email        text check (email ~ '^[!-~]+$' and email = lower(email) and length(email) <= 254),
  -- SHA-256 of the cookie of the browser in which the person goes on.
  session_hash bytea unique check (length(session_hash) = 32),
  proved_at    timestamptz(3),
  answers      jsonb not null default '{}',
  commerce_id  bigint references commerces,
  finished_at  timestamptz(3),
  constraint a_person_has_proved_an_address
    check ((email is null) = (proved_at is null) and (email is null) = (session_hash is null)),
  constraint the_end_is_a_shop
    check ((commerce_id is null) = (finished_at is null) and (finished_at is null or email is not null))
);

-- The code that proves an address before there is a shop is mailed by nobody's shop.
alter table outbox alter column commerce_id drop not null;

-- The codes of a set-up stand under -2 in the place of a commerce's id, beside those of the staff under 0 and -1.
alter table sign_in_codes
  drop constraint a_commerce_or_the_staff,
  add constraint a_commerce_or_a_purpose check (commerce_id >= -2);
alter table sign_in_sends
  drop constraint a_commerce_or_the_staff,
  add constraint a_commerce_or_a_purpose check (commerce_id >= -2);
