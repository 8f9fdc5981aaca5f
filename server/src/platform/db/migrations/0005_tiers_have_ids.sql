-- A tier was known by its place in the ladder, so that removing the lowest one lifted everyone. From now on it is known
-- by the `id` that the program file gives it. `programs` gets ids for the tiers of every version, `members` the id of
-- the tier held, `rewards` and `vouchers` the id of the tier whose benefit they are about.
--
-- Locks: this file adds columns to `members` and `vouchers`, triggers to four tables, and builds one index over the
-- members whose tier has an end. Calls wait for it as long as that takes: 0.2 seconds with 100,000 members. The rows
-- are brought up to date afterwards by the procedure `finish_tier_ids`, which `migrate` calls and drops: it locks
-- 1,000 members at a time, for less than 0.1 seconds, and reads never wait.
--
-- The previous version goes on working meanwhile and after. It reads and writes places (`members.tier_rank`, the
-- `period` of a level's reward); the triggers below turn them into ids and back. They, the functions and `tier_rank`
-- may be dropped once no process of version 0.1 can be running. Until then a program that adds, removes or moves tiers
-- should wait: a process of version 0.1 would read a member's place in the ladder of before.

-- Made from a name: small letters, digits and hyphens, accents left out. As `slugOf` in program/tier-ids.ts.
create function tier_slug(name text) returns text language sql immutable as $$
  select rtrim(left(ltrim(regexp_replace(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') collate "C"),
                                         '[^a-z0-9]+', '-', 'g'), '-'), 64), '-')
$$;

-- A ladder with an id for each tier. Without one it is the tier of its name in the version before, else the tier of
-- its place there if that name is gone: so far a new name in the same place was the same tier. Else it is new.
create function ladder_with_ids(ladder jsonb, before jsonb) returns jsonb language plpgsql immutable as $$
declare
  ids  text[] := array(select t ->> 'id' from jsonb_array_elements(ladder) with ordinality as l(t, place) order by place);
  -- What is given away by now. A new id differs from those of the version before as well.
  used text[] := array_remove(ids, null);
  old  text[] := array(select t ->> 'id' from jsonb_array_elements(before) as t);
  slug text;
  n    integer;
begin
  for i in 1 .. jsonb_array_length(ladder) loop
    if ids[i] is null then
      ids[i] := (select t ->> 'id'
                   from jsonb_array_elements(before) with ordinality as b(t, place)
                  where t ->> 'name' = ladder -> (i - 1) ->> 'name' and t ->> 'id' <> all (used)
                  order by place limit 1);
      used := array_remove(used || ids[i], null);
    end if;
  end loop;
  for i in 1 .. jsonb_array_length(ladder) loop
    if ids[i] is null and old[i] <> all (used) then
      ids[i] := old[i];
      used := used || old[i];
    end if;
  end loop;
  for i in 1 .. jsonb_array_length(ladder) loop
    if ids[i] is null then
      slug := tier_slug(ladder -> (i - 1) ->> 'name');
      n := i;
      while slug = '' or slug = any (used || old) loop
        slug := 'tier-' || n;
        n := n + 1;
      end loop;
      ids[i] := slug;
      used := used || slug;
    end if;
  end loop;
  return coalesce((select jsonb_agg(jsonb_build_object('id', ids[place]) || (t - 'id') order by place)
                     from jsonb_array_elements(ladder) with ordinality as l(t, place)), '[]');
end $$;

-- The program with ids for its tiers; `before` is the version before it.
create function program_with_ids(program jsonb, before jsonb) returns jsonb language sql immutable as $$
  select case when program @? '$.levels.ladder[*] ? (!exists(@.id) || @.id == null)'
              then jsonb_set(program, '{levels,ladder}',
                             ladder_with_ids(program #> '{levels,ladder}', coalesce(before #> '{levels,ladder}', '[]')))
              else program end
$$;

-- In the order in which calls lock these tables, so that a call waits for the migration, or the migration for a call,
-- but not each for the other.
lock table members, rewards, vouchers, programs in access exclusive mode;

do $$
declare
  one record;
begin
  -- Each version after the one before it, which has its ids by then.
  for one in select p.commerce_id, p.version from programs p order by p.commerce_id, p.version loop
    update programs p
       set program = program_with_ids(p.program, (select b.program from programs b
                                                   where b.commerce_id = p.commerce_id and b.version = p.version - 1))
     where p.commerce_id = one.commerce_id and p.version = one.version;
  end loop;
end $$;

create function give_tiers_ids() returns trigger language plpgsql as $$
begin
  new.program := program_with_ids(new.program, (select p.program from programs p
                                                 where p.commerce_id = new.commerce_id and p.version = new.version - 1));
  return new;
end $$;
create trigger programs_of_version_0_1 before insert on programs for each row execute function give_tiers_ids();
alter table programs add constraint every_tier_has_an_id
  check (not program @? '$.levels.ladder[*] ? (!exists(@.id) || @.id == null)');

-- The tier at a place of the ladder in force; above the highest place it is the highest.
create function tier_at(of_commerce bigint, place bigint) returns text language sql stable as $$
  select t.tier ->> 'id'
    from commerces c
    join programs p on p.commerce_id = c.id and p.version = c.program_version
   cross join jsonb_array_elements(p.program #> '{levels,ladder}') with ordinality as t(tier, rank)
   where c.id = of_commerce and t.rank <= place
   order by t.rank desc
   limit 1
$$;

-- The place of a tier in the ladder in force; null if it is not there.
create function place_of(of_commerce bigint, tier_id text) returns integer language sql stable as $$
  select t.rank
    from commerces c
    join programs p on p.commerce_id = c.id and p.version = c.program_version
   cross join jsonb_array_elements(p.program #> '{levels,ladder}') with ordinality as t(tier, rank)
   where c.id = of_commerce and t.tier ->> 'id' = tier_id
$$;

-- A reward of a level that version 0.1 notes by place: not again if it is noted by id, else by id from then on.
create function note_by_id() returns trigger language plpgsql as $$
declare
  tier_id constant text := tier_at(new.commerce_id, new.period::bigint);
begin
  if tier_id is null or place_of(new.commerce_id, new.period) is not null then
    return new;
  end if;
  if tg_when = 'BEFORE' then
    if exists (select from rewards r
                where r.commerce_id = new.commerce_id and r.member_id = new.member_id
                  and r.event = 'level' and r.period = tier_id) then
      return null;
    end if;
    return new;
  end if;
  update rewards r
     set period = tier_id
   where r.commerce_id = new.commerce_id and r.member_id = new.member_id and r.event = 'level' and r.period = new.period;
  return null;
end $$;
create trigger rewards_of_version_0_1_before before insert on rewards for each row
  when (new.event = 'level' and new.period ~ '^[0-9]{1,9}$') execute function note_by_id();
create trigger rewards_of_version_0_1_after after insert on rewards for each row
  when (new.event = 'level' and new.period ~ '^[0-9]{1,9}$') execute function note_by_id();

-- The tier whose benefit it is; null for anything else. A code that left the member's hands unused has
-- `given_back_at`: one that was bought was given back for its points, one of a tier is void, because a return took the
-- tier away. Version 0.1 refuses both.
alter table vouchers add column tier_id text;

create function name_tier_of_voucher() returns trigger language plpgsql as $$
begin
  select r.period into new.tier_id
    from rewards r
    join commerces c on c.id = r.commerce_id
    join programs p on p.commerce_id = c.id and p.version = c.program_version
   cross join jsonb_array_elements(p.program #> '{levels,ladder}') as t(tier)
   where r.commerce_id = new.commerce_id and r.member_id = new.member_id and r.event = 'level'
     and r.given_at = new.issued_at and t.tier ->> 'id' = r.period and t.tier ->> 'benefit' = new.benefit_id
     and not exists (select from vouchers v
                      where v.commerce_id = r.commerce_id and v.member_id = r.member_id
                        and v.issued_at = r.given_at and v.tier_id = r.period)
   order by r.period
   limit 1;
  return new;
end $$;
create trigger vouchers_of_version_0_1 before insert on vouchers for each row
  when (new.source = 'level' and new.tier_id is null) execute function name_tier_of_voucher();

alter table members
  add column tier_id          text,
  -- First day of the run of periods, from which their ends are counted; null is the day on which the tier was reached.
  add column tier_period_from date,
  -- When climbing began to count from `tier_climb_base_…`: the last move down or expiry.
  add column tier_climb_from  timestamptz(3);

-- The tier of someone who has left or is blocked stands still: the job has no business with it. Older processes whose
-- condition is the former one read the commerce's members instead.
drop index members_tier_due;
create index members_tier_due on members (commerce_id, tier_expires_on, id)
  where tier_expires_on is not null and not tier_expired and not tier_pinned and state <> 'left' and blocked_at is null;

-- Version 0.1 sets `tier_rank` and not `tier_id`, later ones the other way round.
create function tier_follows_rank() returns trigger language plpgsql as $$
begin
  new.tier_id := tier_at(new.commerce_id, new.tier_rank);
  if tg_op = 'INSERT' then
    return new;
  end if;
  if new.tier_reached_at is distinct from old.tier_reached_at then
    new.tier_period_from := null;
  end if;
  if (new.tier_climb_base_points, new.tier_climb_base_amount)
     is distinct from (old.tier_climb_base_points, old.tier_climb_base_amount) then
    new.tier_climb_from := case
      when new.tier_expired
      then (new.tier_expires_on + 1)::timestamp at time zone (select c.time_zone from commerces c where c.id = new.commerce_id)
      else new.tier_reached_at end - interval '1 millisecond';
  end if;
  return new;
end $$;
create trigger members_of_version_0_1 before update of tier_rank on members for each row
  when ((new.tier_rank, new.tier_reached_at, new.tier_climb_base_points, new.tier_climb_base_amount)
        is distinct from (old.tier_rank, old.tier_reached_at, old.tier_climb_base_points, old.tier_climb_base_amount))
  execute function tier_follows_rank();
create trigger new_members_of_version_0_1 before insert on members for each row
  when (new.tier_rank is not null and new.tier_id is null) execute function tier_follows_rank();

create function rank_follows_tier() returns trigger language plpgsql as $$
begin
  new.tier_rank := place_of(new.commerce_id, new.tier_id);
  return new;
end $$;
create trigger members_for_version_0_1 before update of tier_id on members for each row
  when (new.tier_id is distinct from old.tier_id and current_setting('loyalty.finishing', true) is distinct from 'yes')
  execute function rank_follows_tier();
create trigger new_members_for_version_0_1 before insert on members for each row
  when (new.tier_id is not null and new.tier_rank is null) execute function rank_follows_tier();

-- Brings the rows that are there up to date. It may be interrupted and called again, and by two processes at once.
create procedure finish_tier_ids() language plpgsql as $$
declare
  shop  record;
  batch bigint[];
  after bigint;
begin
  for shop in
    select c.id, c.time_zone, (p.program #>> '{levels,valid_months}')::integer as months,
           array(select t ->> 'id' from jsonb_array_elements(p.program #> '{levels,ladder}') with ordinality as l(t, rank)
                  order by rank) as tiers
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
     order by c.id
  loop
    after := 0;
    loop
      select array_agg(id order by id) into batch
        from (select id from members where commerce_id = shop.id and id > after order by id limit 1000
                 for no key update) as m;
      exit when batch is null;
      -- The place is known here, and stays.
      perform set_config('loyalty.finishing', 'yes', true);

      -- Who held a place that the ladder has no more held the highest; without any tier there is none.
      with held as (
        select m.id, shop.tiers[least(m.tier_rank, cardinality(shop.tiers))] as tier_id,
               extract(day from m.tier_reached_at at time zone shop.time_zone) as reached_day,
               extract(day from m.tier_expires_on) as end_day,
               (m.tier_expires_on + 1)::timestamp at time zone shop.time_zone - interval '1 millisecond' as ended_at
          from unnest(batch) as b(id)
          join members m on m.commerce_id = shop.id and m.id = b.id
         where m.tier_rank is not null and m.tier_id is null
      )
      update members m
         set tier_id = h.tier_id,
             tier_rank = case when h.tier_id is not null then least(m.tier_rank, cardinality(shop.tiers)) end,
             tier_reached_at = case when h.tier_id is not null then m.tier_reached_at end,
             tier_expires_on = case when h.tier_id is not null then m.tier_expires_on end,
             tier_expired = m.tier_expired and h.tier_id is not null,
             tier_pinned = m.tier_pinned and h.tier_id is not null,
             -- A day of the month that neither a shorter month nor drifting from the 31st explains: a change of the
             -- validity had begun the period.
             tier_period_from = case when h.end_day > h.reached_day or h.end_day < least(h.reached_day, 28)
                                     then (m.tier_expires_on - make_interval(months => shop.months))::date end,
             tier_climb_from = case
               when m.tier_climb_base_points = 0 and m.tier_climb_base_amount = 0 then null
               when m.tier_expired then h.ended_at
               -- The last movement that the base counts.
               else coalesce((select max(s.at)
                                from (select v.at, sum(v.points_earned) over w as points,
                                             sum(coalesce(v.amount, 0)) over w as amount
                                        from movements v
                                       where v.commerce_id = shop.id and v.member_id = m.id
                                         and v.type not in ('expiry', 'redate')
                                      window w as (order by v.id)) s
                               where s.points = m.tier_climb_base_points and s.amount = m.tier_climb_base_amount
                                 and s.at < m.tier_reached_at),
                             m.tier_reached_at - interval '1 millisecond') end
        from held h
       where m.commerce_id = shop.id and m.id = h.id;

      -- A code is the benefit of the tier that stood at its reward's place in the last version that had this benefit
      -- there. Where version 0.1 had issued it twice, one of the rewards is noted by id.
      with gifts as materialized (
        select distinct on (t.rank, t.tier ->> 'benefit') t.rank::text as rank, t.tier ->> 'benefit' as benefit_id,
               t.tier ->> 'id' as tier_id
          from programs p
         cross join jsonb_array_elements(p.program #> '{levels,ladder}') with ordinality as t(tier, rank)
         where p.commerce_id = shop.id
         order by t.rank, t.tier ->> 'benefit', p.version desc
      ), pairs as (
        select v.code, r.member_id, r.period, r.given_at, g.tier_id,
               row_number() over (partition by v.code order by r.period) as of_voucher,
               row_number() over (partition by r.member_id, r.period order by v.code) as of_reward
          from unnest(batch) as b(id)
          join rewards r on r.commerce_id = shop.id and r.member_id = b.id and r.event = 'level'
          join vouchers v on v.commerce_id = shop.id and v.member_id = r.member_id
                         and v.source = 'level' and v.issued_at = r.given_at and v.tier_id is null
          join gifts g on g.rank = r.period and g.benefit_id = v.benefit_id
      ), named as (
        update vouchers v
           set tier_id = p.tier_id
          from pairs p
         where p.of_voucher = p.of_reward and v.commerce_id = shop.id and v.code = p.code
        returning p.*
      )
      update rewards r
         set period = n.tier_id
        from (select distinct on (member_id, tier_id) * from named order by member_id, tier_id, given_at) n
       where r.commerce_id = shop.id and r.member_id = n.member_id and r.event = 'level' and r.period = n.period;

      commit;
      after := batch[cardinality(batch)];
    end loop;
  end loop;

  if not exists (select from pg_constraint where conname = 'a_tier_has_a_place') then
    alter table members add constraint a_tier_has_a_place check ((tier_id is null) = (tier_rank is null)) not valid;
  end if;
  commit;
  alter table members validate constraint a_tier_has_a_place;
end $$;
