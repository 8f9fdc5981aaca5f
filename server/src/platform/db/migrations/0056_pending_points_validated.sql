-- Validates the constraints that 0055 changed.
--
-- Reads the movements once for each, about 0.4 s for a million, while reads and writes go on.
--
-- The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

alter table movements validate constraint movements_type_check;
alter table movements validate constraint a_return_names_its_purchase;
