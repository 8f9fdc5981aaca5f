-- What calls with a key send that the service does not know and therefore ignores: a misspelled `external_id` is no error, and a
-- repeated sale counts twice. Names and counts only, never values. A key has a limited number, and old ones are deleted.
--
-- Creates an empty table and locks nothing. The previous release keeps running, and does not fill it.
--
-- Oldest program: 0026_audit_indexes

create table ignored_fields (
  commerce_id bigint not null,
  key_id      bigint not null,
  method      text not null,
  route       text not null,
  -- With the part of the call in front: `body.externalId`, `query.limt`, `header.idempotence-key`.
  name        text not null,
  calls       bigint not null check (calls > 0),
  first_at    timestamptz(3) not null,
  last_at     timestamptz(3) not null,
  primary key (commerce_id, key_id, method, route, name),
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id)
);

create index ignored_fields_by_time on ignored_fields (last_at);
