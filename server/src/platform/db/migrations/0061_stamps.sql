-- Purchases can stamp cards, and a full card gives a code.
--
-- Creates empty tables, and lets codes and withheld rewards have one more source. `vouchers` and `withheld_rewards` are locked for
-- milliseconds: no row is read. 0062 checks the rows that exist.
--
-- The previous release keeps running. It stamps nothing, and shows a code of a full card as it shows any other. Do not go back to it
-- once cards were stamped: it would not take stamps back with a return.
--
-- Oldest program: 0026_audit_indexes

-- The stamps of a member on a card of a kind. A card that ends before it is full keeps its row, and another one begins.
create table stamp_cards (
  commerce_id bigint not null references commerces,
  member_id   bigint not null,
  -- The kind, by its id in the program.
  stamp_id    text not null check (stamp_id ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  -- Counts the cards of the member and the kind.
  card        integer not null check (card > 0),
  -- Below zero after a return of stamps whose code was used.
  have        integer not null,
  -- The last day of the card, promised with its first stamp. Null if it does not end, or has no stamps.
  ends_on     date,
  -- The commerce's time of the last stamp. Null if there was none, or if its purchase has come back.
  stamped_at  timestamptz(3),
  -- How many cards of the kind were ever full.
  filled      integer not null check (filled >= 0),
  ended       boolean not null,
  primary key (commerce_id, member_id, stamp_id, card),
  foreign key (commerce_id, member_id) references members (commerce_id, id)
);

-- Cards that were filled. Each gives one code, as soon as the purchases behind it have stopped waiting.
create table full_cards (
  commerce_id bigint not null references commerces,
  member_id   bigint not null,
  stamp_id    text not null check (stamp_id ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  -- Counts the full cards of the member and the kind.
  ordinal     integer not null check (ordinal > 0),
  -- How many stamps it took.
  need        integer not null check (need > 0),
  benefit_id  text not null,
  -- The purchase that filled it.
  purchase_id bigint not null,
  -- Null until it is issued.
  code        bigint,
  -- The commerce's time of the return that took it back.
  taken_at    timestamptz(3),
  primary key (commerce_id, member_id, stamp_id, ordinal),
  unique (commerce_id, code),
  foreign key (commerce_id, member_id) references members (commerce_id, id),
  foreign key (commerce_id, purchase_id) references movements (commerce_id, id),
  foreign key (commerce_id, code) references vouchers (commerce_id, code)
);

create index full_cards_waiting on full_cards (commerce_id, member_id) where code is null and taken_at is null;

alter table vouchers
  drop constraint vouchers_source_check,
  add constraint vouchers_source_check check
    (source in ('exchange', 'welcome', 'birthday', 'monthly_top', 'level', 'stamps')) not valid;

alter table withheld_rewards
  drop constraint withheld_rewards_event_check,
  add constraint withheld_rewards_event_check check
    (event in ('welcome', 'birthday', 'monthly_top', 'level', 'stamps')) not valid;
