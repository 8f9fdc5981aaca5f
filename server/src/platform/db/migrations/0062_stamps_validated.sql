-- Validates the constraints that 0061 changed.
--
-- Reads the vouchers once, about 0.3 s for a million, while reads and writes go on.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

alter table vouchers validate constraint vouchers_source_check;
alter table withheld_rewards validate constraint withheld_rewards_event_check;
