-- What each API key may do. Every key that exists, and every key that the previous release makes, gets the scopes that open what
-- keys could do before.
--
-- Adds a column with a constant default to `api_keys`, without a rewrite, and checks its few rows: the lock lasts milliseconds.
-- The previous release keeps running. It does not look at scopes, so with it every key may do what it could always do.
--
-- Oldest program: 0026_audit_indexes

alter table api_keys
  -- Without a meaning for a key of the back office, which has a role.
  add column scopes text[] not null default '{read,purchases,redeem,orders,members,reports,events}'
    constraint known_scopes check (
      scopes <@ '{read,purchases,redeem,orders,undo,sign_in,adjust,members,reports,events}'::text[]
      and array_position(scopes, null) is null
      and cardinality(scopes) <= 10
    );
