-- What the jobs look for (points and tiers whose day has passed, birthdays, the purchases of a month), what they
-- have told people already, and when each last ran.
--
-- Builds five small indexes: writes to balances, members and movements wait while theirs is built, some seconds for
-- a million rows each.

-- The day never changes in place, so an earn of the same day stays on its page (HOT); a new day costs one entry.
create index balances_due on balances (commerce_id, expires_on, member_id) where expires_on < 'infinity';

create index members_tier_due on members (commerce_id, tier_expires_on, id)
  where tier_expires_on is not null and not tier_expired and not tier_pinned;

-- By month and day: 229 is 29 February.
create index members_birthday on members
  (commerce_id, ((extract(month from birth_date) * 100 + extract(day from birth_date))::integer))
  where birth_date is not null and state = 'member';

-- What the index of the activity leaves out: a return asks what has expired since the purchase.
create index movements_expiries on movements (commerce_id, member_id, id) where type in ('expiry', 'redate');

-- Rows lie nearly in the order of their instants, so a few bytes for many rows find a month.
create index movements_by_time on movements using brin (at) with (pages_per_range = 32);

-- Which points a member was told of, and how many days before: 30 or 7.
create table reminders (
  commerce_id bigint not null,
  member_id   bigint not null,
  expires_on  date not null,
  days_before smallint not null check (days_before in (7, 30)),
  -- Program time.
  told_at     timestamptz(3) not null,
  primary key (commerce_id, member_id, days_before, expires_on),
  foreign key (commerce_id, member_id) references members
);

-- One row for each kind of job. A lease, so that of many processes one runs it; a lock would not outlive the
-- statement behind a pooler.
create table jobs (
  name         text primary key,
  leased_until timestamptz,
  started_at   timestamptz,
  finished_at  timestamptz,
  last_error   text
);
