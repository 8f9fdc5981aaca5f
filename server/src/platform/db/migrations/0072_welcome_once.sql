-- A cluster counts an `insert … select` in a trigger as one row although it stored none, so a mailbox was welcomed twice there. The same
-- in two statements, which both kinds of server count alike.
--
-- Replaces a function. The previous release keeps running.
--
-- Oldest program: 0026_audit_indexes

create or replace function welcome_mailbox_once() returns trigger language plpgsql as $$
declare
  hash bytea;
begin
  select mailbox_hash_of(m.email) into hash
    from members m
   where m.commerce_id = new.commerce_id and m.id = new.member_id and m.email is not null;
  if hash is null then
    return null;
  end if;
  insert into welcomed_mailboxes (commerce_id, mailbox_hash) values (new.commerce_id, hash)
      on conflict do nothing;
  if found then
    return new;
  end if;
  return null;
end $$;
