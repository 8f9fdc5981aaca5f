-- An online shop says what an order is, as often as it likes, and the service writes the difference. An order is one purchase for ever: what
-- was paid can grow after it was recorded, which is a movement of a type of its own.
--
-- Creates empty tables, and lets movements and figures of reports have one more type. `movements` is locked for milliseconds: no row is
-- read. 0047 checks the movements that exist.
--
-- The previous release keeps running. It takes no orders, and records a purchase with the id of an open order; the order then takes that
-- over. Do not go back to it once an order has grown: it cannot show the history of such a member.
--
-- Oldest program: 0026_audit_indexes

create table orders (
  commerce_id bigint not null references commerces,
  -- The shop's own id. Purchases, orders and imported rows share one space: an order with a purchase has a row in `idempotency_keys`.
  external_id text not null check (length(external_id) between 1 and 255),
  -- Null as long as nobody at the commerce has the address that the shop sends.
  member_id   bigint,
  purchase_id bigint,
  status      text not null check (status in ('open', 'paid', 'cancelled')),
  -- Whole currency units: what was paid in the end, and what of it went back.
  paid        bigint not null check (paid >= 0),
  refunded    bigint not null check (refunded between 0 and paid),
  -- The shop's rising number, and a digest of what it said with it.
  version     bigint not null check (version >= 0),
  content     bytea not null,
  -- Why the last state could not be recorded as a purchase. A word of `X-Error-Code`.
  refusal     text check (refusal ~ '^[a-z_]+$'),
  -- The commerce's time of the first state, and of the payment.
  placed_at   timestamptz(3) not null,
  paid_at     timestamptz(3),
  primary key (commerce_id, external_id),
  foreign key (commerce_id, member_id) references members (commerce_id, id),
  foreign key (commerce_id, purchase_id) references movements (commerce_id, id),
  constraint a_purchase_was_paid check (purchase_id is null or member_id is not null)
);

create unique index a_purchase_is_one_order on orders (commerce_id, purchase_id) where purchase_id is not null;
create index orders_by_date on orders (commerce_id, placed_at, external_id);
create index orders_of_member on orders (commerce_id, member_id, placed_at, external_id);

-- The codes that an order has named.
create table order_codes (
  commerce_id bigint not null,
  external_id text not null,
  -- As the shop sent it. There may be no such code.
  code        bigint not null,
  state       text not null check (state in ('held', 'used', 'restored', 'released', 'refused')),
  -- Why it is not what the shop asked for. A word of `X-Error-Code`, or of the answer.
  reason      text check (reason ~ '^[a-z_]+$'),
  primary key (commerce_id, external_id, code),
  foreign key (commerce_id, external_id) references orders (commerce_id, external_id)
);

-- What an order consists of. Kept for as long as the settings say, and until the person is erased.
create table order_lines (
  commerce_id bigint not null,
  external_id text not null,
  member_id   bigint not null,
  -- Real time.
  stored_at   timestamptz(3) not null default now(),
  lines       jsonb not null check (jsonb_typeof(lines) = 'array'),
  primary key (commerce_id, external_id),
  foreign key (commerce_id, external_id) references orders (commerce_id, external_id),
  foreign key (commerce_id, member_id) references members (commerce_id, id)
);

create index order_lines_by_age on order_lines (stored_at);
create index order_lines_of_member on order_lines (commerce_id, member_id);

-- More was paid for a purchase than was recorded: what it earns on that by its own rule.
alter table movements
  drop constraint movements_type_check,
  add constraint movements_type_check check (type in
    ('purchase', 'correction', 'reversal', 'exchange', 'give_back', 'usage', 'undo', 'reward', 'adjustment', 'expiry', 'redate')) not valid,
  drop constraint a_return_names_its_purchase,
  add constraint a_return_names_its_purchase check ((type in ('reversal', 'correction')) = (reverses_id is not null)) not valid;

alter table report_days
  drop constraint report_days_kind_check,
  add constraint report_days_kind_check check (kind in ('purchase', 'correction', 'reversal', 'exchange', 'give_back', 'usage', 'undo',
                                                        'reward', 'added', 'taken', 'erased', 'expiry'));
