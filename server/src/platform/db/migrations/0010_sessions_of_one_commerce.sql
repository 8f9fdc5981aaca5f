-- With SESSION_SCOPE=commerce, a session is good only at the commerce where it was opened. Sessions that were opened, or
-- refreshed, without that setting may be known to other commerces, so they must not count as such.
--
-- Adds a column with a constant default to `sessions`, which rewrites nothing: the lock lasts milliseconds. The previous
-- release keeps running: the sessions that it opens have the default.

-- True if all tokens of this session were issued under SESSION_SCOPE=commerce, for the commerce in commerce_id.
alter table sessions add column commerce_only boolean not null default false;
