-- A cart can hold a code, a redemption can have the shop's own id, and within the days that the program allows its use can be undone.
--
-- Creates empty tables, adds a column without a default to `vouchers`, and lets movements and figures of reports have one more type.
-- `movements`, `vouchers` and `members` are locked for milliseconds: no row is read. 0042 checks the movements that exist.
--
-- The previous release keeps running. It holds nothing and undoes nothing. Do not go back to it once a use was undone: the program
-- field `codes.undo_days` allows that, and is 0 unless a shop sets it. It cannot show the history of such a member.
--
-- Oldest program: 0026_audit_indexes

-- A code in a cart. A hold is real time, ends by itself, and is no movement: whoever sells at a till may use the code all the same.
create table holds (
  commerce_id bigint not null,
  code        bigint not null,
  -- The shop's own id of the cart.
  external_id text not null check (length(external_id) between 1 and 255),
  member_id   bigint not null,
  -- When this cart first held the code, and when the hold ends.
  held_at     timestamptz(3) not null,
  expires_at  timestamptz(3) not null check (expires_at > held_at),
  constraint one_cart_holds_a_code primary key (commerce_id, code),
  foreign key (commerce_id, code) references vouchers (commerce_id, code),
  foreign key (commerce_id, member_id) references members (commerce_id, id)
);

create index holds_of_cart on holds (commerce_id, external_id);
create index holds_of_member on holds (commerce_id, member_id);
create index holds_by_end on holds (expires_at);

-- The uses of codes that a shop has named, so that it can undo them. Each is also a row in `idempotency_keys`.
create table redemptions (
  commerce_id bigint not null,
  external_id text not null check (length(external_id) between 1 and 255),
  code        bigint not null,
  member_id   bigint not null,
  -- The movements, and their instants by the commerce's clock.
  use_id      bigint not null,
  used_at     timestamptz(3) not null,
  undo_id     bigint,
  undone_at   timestamptz(3),
  primary key (commerce_id, external_id, code),
  foreign key (commerce_id, code) references vouchers (commerce_id, code),
  foreign key (commerce_id, member_id) references members (commerce_id, id),
  foreign key (commerce_id, use_id) references movements (commerce_id, id),
  foreign key (commerce_id, undo_id) references movements (commerce_id, id),
  constraint undone_at_an_instant check ((undo_id is null) = (undone_at is null))
);

create unique index a_code_is_used_once on redemptions (commerce_id, code) where undo_id is null;
create unique index a_use_has_one_id on redemptions (commerce_id, use_id);
create index redemptions_undone on redemptions (commerce_id, undone_at, used_at) where undone_at is not null;

-- How many uses a key has undone on its last day (UTC).
create table key_undos (
  commerce_id bigint not null,
  key_id      bigint not null,
  day         date not null,
  undos       bigint not null check (undos > 0),
  primary key (commerce_id, key_id),
  foreign key (commerce_id, key_id) references api_keys (commerce_id, id)
);

-- The date that a code got at its issue, where it was moved once: its use was undone after that date.
alter table vouchers add column first_due_at timestamptz(3);

-- The use of a code was undone. It changes no figure.
alter table movements
  drop constraint movements_type_check,
  add constraint movements_type_check check (type in
    ('purchase', 'reversal', 'exchange', 'give_back', 'usage', 'undo', 'reward', 'adjustment', 'expiry', 'redate')) not valid;

alter table report_days
  drop constraint report_days_kind_check,
  add constraint report_days_kind_check check (kind in ('purchase', 'reversal', 'exchange', 'give_back', 'usage', 'undo', 'reward',
                                                        'added', 'taken', 'erased', 'expiry'));
