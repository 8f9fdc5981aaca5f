-- Rewards begin when they are announced, so each version of a program keeps when it came into force by the commerce's
-- own clock. A job that fails at one commerce goes on at the others, so what it has come to is kept for each commerce.
-- A reward that hands out nothing, because its benefit has expired, leaves a row that staff can look up.
--
-- Adds a column to `programs`, which nobody can read meanwhile, and fills it: milliseconds, one row for each version.
-- Creates two tables. The program of the release before goes on running: to a version that it writes, the column's
-- default gives the time of the database, which is the commerce's own time everywhere but in sandboxes.

alter table programs add column in_force_at timestamptz(3) not null default now();

-- The clock of a real commerce has always been the database's. Where a sandbox's clock stood is not known: the last
-- thing that had happened there by then comes closest, else the first that happened after.
update programs p
   set in_force_at = case when not c.sandbox then p.applied_at else
         coalesce((select max(m.at) from movements m where m.commerce_id = c.id and m.recorded_at <= p.applied_at),
                  (select min(m.at) from movements m where m.commerce_id = c.id),
                  p.applied_at + c.clock_offset) end
  from commerces c
 where c.id = p.commerce_id;

-- What a job has come to at a commerce. A job that was never in trouble there may have no row.
create table commerce_jobs (
  commerce_id   bigint not null references commerces,
  job           text not null,
  -- Program time since when every run has failed here; null while the job does well.
  failing_since timestamptz(3),
  last_error    text,
  -- monthly-top: no month up to this one needs another look.
  settled_month text check (settled_month ~ '^[0-9]{4}-[0-9]{2}$'),
  primary key (commerce_id, job),
  constraint a_failure_has_its_error check ((failing_since is null) = (last_error is null))
);

-- Months that the release before has passed over stay so.
insert into commerce_jobs (commerce_id, job, settled_month)
select commerce_id, 'monthly-top', max(period)
  from rewards
 where event = 'monthly_top'
 group by commerce_id;

-- Rewards that were due and handed out nothing, because their benefit had expired or was withdrawn.
create table withheld_rewards (
  commerce_id bigint not null,
  member_id   bigint not null,
  event       text not null check (event in ('welcome', 'birthday', 'monthly_top', 'level')),
  -- As in `rewards`.
  period      text not null,
  benefit_id  text not null,
  reason      text not null check (reason in ('expired', 'withdrawn')),
  -- Program time.
  at          timestamptz(3) not null,
  -- When a process wrote it into its log; the database's own time.
  logged_at   timestamptz(3),
  primary key (commerce_id, member_id, event, period),
  foreign key (commerce_id, member_id) references members
);

create index withheld_rewards_unlogged on withheld_rewards (commerce_id) where logged_at is null;
