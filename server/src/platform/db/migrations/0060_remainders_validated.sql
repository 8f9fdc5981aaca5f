-- Validates the constraint that 0059 added.
--
-- Reads the members once, about 0.2 s for a million, while reads and writes go on.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

alter table members validate constraint a_remainder_has_a_beginning;
