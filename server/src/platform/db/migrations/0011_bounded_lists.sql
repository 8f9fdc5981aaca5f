-- Finds the usable codes of a member without reading those that were used, to list them and to count them at an exchange.
--
-- Writes to vouchers wait while the index is built, about a second for a million rows. A redemption then writes to all
-- indexes of vouchers, because it takes the code out of this one.
create index vouchers_unused on vouchers (commerce_id, member_id, due_at)
  where used_at is null and given_back_at is null;

-- Purchases and users are counted over the whole installation, so a shop could read its volume from its own ids. From now on
-- these ids are hidden on the wire with a key. The ids up to `plain_to` were handed out before, and stay as they are.
-- The key is stored here, because shops keep the ids for longer than a SECRET_KEY lasts.
create table wire_ids (
  kind     text primary key check (kind in ('purchase', 'user')),
  key      bytea not null check (length(key) = 12),
  plain_to bigint not null
);

insert into wire_ids (kind, key, plain_to)
select 'purchase', substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 12),
       case when is_called then last_value else 0 end
  from movements_id_seq
 union all
select 'user', substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 12),
       case when is_called then last_value else 0 end
  from users_id_seq;
