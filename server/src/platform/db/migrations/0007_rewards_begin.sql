-- A reward begins when it is announced, so each program version records when it came into force by the commerce's clock.
-- A job that fails at one commerce goes on with the others, so its state is kept per commerce. A reward that hands out
-- nothing because its benefit has expired leaves a row for staff.
--
-- Adds a column to `programs` and fills it, one row per version. The table cannot be read meanwhile: milliseconds, plus a
-- scan of each sandbox's movements. Creates two tables. The previous release keeps running: for versions that it writes,
-- the default is the database's time, which is the commerce's time except in sandboxes.

alter table programs add column in_force_at timestamptz(3) not null default now();

-- A real commerce's clock has always been the database's. A sandbox's clock at the time is unknown: its last movement by
-- then comes closest, else the first one after.
update programs p
   set in_force_at = case when not c.sandbox then p.applied_at else
         coalesce((select max(m.at) from movements m where m.commerce_id = c.id and m.recorded_at <= p.applied_at),
                  (select min(m.at) from movements m where m.commerce_id = c.id),
                  p.applied_at + c.clock_offset) end
  from commerces c
 where c.id = p.commerce_id;

-- The state of a job at a commerce. There may be no row if the job never failed there.
create table commerce_jobs (
  commerce_id   bigint not null references commerces,
  job           text not null,
  -- Program time at which the job began to fail here; null if its last run was fine.
  failing_since timestamptz(3),
  last_error    text,
  -- monthly-top: all months up to this one are settled.
  settled_month text check (settled_month ~ '^[0-9]{4}-[0-9]{2}$'),
  primary key (commerce_id, job),
  constraint a_failure_has_its_error check ((failing_since is null) = (last_error is null))
);

-- Months that the previous release skipped stay skipped.
insert into commerce_jobs (commerce_id, job, settled_month)
select commerce_id, 'monthly-top', max(period)
  from rewards
 where event = 'monthly_top'
 group by commerce_id;

-- Rewards that were due and handed out nothing because their benefit had expired or was withdrawn.
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
  -- When a process logged it, by the database's clock.
  logged_at   timestamptz(3),
  primary key (commerce_id, member_id, event, period),
  foreign key (commerce_id, member_id) references members
);

create index withheld_rewards_unlogged on withheld_rewards (commerce_id) where logged_at is null;
