-- A shop can vouch for a customer who is signed in at its own site, if the person has proved the address at this commerce before.
--
-- Adds a column without a default to `sessions` and to `members`, which are locked for milliseconds: no row is read.
--
-- The previous release keeps running. It does not note who has proved an address; a session here is proof as well, as long as it is kept.
-- It takes no token of a vouched session.
--
-- Oldest program: 0026_audit_indexes

-- The API key of the shop that vouched for the person. Null for a session that began with a mail.
alter table sessions add column vouched_by bigint;

-- When the person first proved at this commerce, by a code or a link, that the mailbox is theirs.
alter table members add column proved_at timestamptz(3);
