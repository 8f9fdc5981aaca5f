-- What a purchase consisted of, so that rules by product can be tried and checked again, and lines can be returned. Kept for as long as the
-- settings say, and until the person is erased. The movement itself keeps the amounts of the lines, and no product.
--
-- Creates an empty table.
--
-- The previous release keeps running. It records the whole amount and no lines. Do not go back to it once a purchase has earned by rules: it
-- cannot return such a purchase or explain it.
--
-- Oldest program: 0026_audit_indexes

create table purchase_lines (
  commerce_id bigint not null,
  purchase_id bigint not null,
  member_id   bigint not null,
  -- Real time.
  stored_at   timestamptz(3) not null default now(),
  lines       jsonb not null check (jsonb_typeof(lines) = 'array'),
  primary key (commerce_id, purchase_id),
  foreign key (commerce_id, purchase_id) references movements (commerce_id, id),
  foreign key (commerce_id, member_id) references members (commerce_id, id)
);

create index purchase_lines_by_age on purchase_lines (stored_at);
create index purchase_lines_of_member on purchase_lines (commerce_id, member_id);
