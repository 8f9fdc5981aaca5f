-- Validates the constraint that 0041 changed.
--
-- Reads the movements once, about 0.2 s for a million, while reads and writes go on.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

alter table movements validate constraint movements_type_check;
