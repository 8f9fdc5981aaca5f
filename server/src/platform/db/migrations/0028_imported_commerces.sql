-- A commerce can come from another installation with all its rows.
--
-- Creates a table and replaces seven triggers by the same with one more condition: the locks last milliseconds.
--
-- The previous release keeps running. It does not know the table, so it would give an imported commerce's ids other numbers on the
-- wire: import when its last process has stopped.
--
-- Oldest program: 0026_audit_indexes

-- Ids of an imported commerce keep the numbers that they had on the wire, because the shop has stored them: these are the keys
-- that hid them where it comes from. All other commerces use `wire_ids`.
create table commerce_wire_ids (
  commerce_id bigint not null references commerces,
  kind        text   not null check (kind in ('purchase', 'member', 'staff', 'audit', 'key')),
  key         bytea  not null check (octet_length(key) = 12),
  plain_to    bigint not null check (plain_to >= 0),
  primary key (commerce_id, kind)
);

-- These complete what an older release leaves out. An import brings complete rows, which must stay as they are.
create or replace trigger programs_of_version_0_1 before insert on programs for each row
  when (current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function give_tiers_ids();
create or replace trigger new_members_of_version_0_1 before insert on members for each row
  when (new.tier_rank is not null and new.tier_id is null
        and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function tier_follows_rank();
create or replace trigger new_members_for_version_0_1 before insert on members for each row
  when (new.tier_id is not null and new.tier_rank is null
        and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function rank_follows_tier();
create or replace trigger rewards_of_version_0_1_before before insert on rewards for each row
  when (new.event = 'level' and new.period ~ '^[0-9]{1,9}$'
        and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function note_by_id();
create or replace trigger rewards_of_version_0_1_after after insert on rewards for each row
  when (new.event = 'level' and new.period ~ '^[0-9]{1,9}$'
        and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function note_by_id();
create or replace trigger vouchers_of_version_0_1 before insert on vouchers for each row
  when (new.source = 'level' and new.tier_id is null
        and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function name_tier_of_voucher();
create or replace trigger welcome_mailbox_once before insert on rewards for each row
  when (new.event = 'welcome' and current_setting('loyalty.importing', true) is distinct from 'yes')
  execute function welcome_mailbox_once();
