-- Indexes for the jobs (expired points and tiers, birthdays, the purchases of a month), the reminders that were
-- already sent, and the last run of each job.
--
-- Builds five small indexes. Writes to balances, members and movements wait while their indexes are built, some
-- seconds for a million rows each.

-- The day never changes in place, so adding points to the same day stays on its page (HOT). A new day costs one
-- index entry.
create index balances_due on balances (commerce_id, expires_on, member_id) where expires_on < 'infinity';

create index members_tier_due on members (commerce_id, tier_expires_on, id)
  where tier_expires_on is not null and not tier_expired and not tier_pinned;

-- Month and day as a number: 229 is 29 February.
create index members_birthday on members
  (commerce_id, ((extract(month from birth_date) * 100 + extract(day from birth_date))::integer))
  where birth_date is not null and state = 'member';

-- The movements that the index `movements_activity` leaves out. A return looks up what has expired since the purchase.
create index movements_expiries on movements (commerce_id, member_id, id) where type in ('expiry', 'redate');

-- The rows are stored almost in the order of their times, so a tiny BRIN index is enough to find a month.
create index movements_by_time on movements using brin (at) with (pages_per_range = 32);

-- The reminders that members have received: for which expiry day, and whether 30 or 7 days before it.
create table reminders (
  commerce_id bigint not null,
  member_id   bigint not null,
  expires_on  date not null,
  days_before smallint not null check (days_before in (7, 30)),
  -- The commerce's time.
  told_at     timestamptz(3) not null,
  primary key (commerce_id, member_id, days_before, expires_on),
  foreign key (commerce_id, member_id) references members
);

-- One row for each kind of job. The lease lets only one of many processes run it. It is not a lock, because behind
-- a pooler a lock would not outlive its statement.
create table jobs (
  name         text primary key,
  leased_until timestamptz,
  started_at   timestamptz,
  finished_at  timestamptz,
  last_error   text
);
