-- Points of a purchase can wait before they can be spent: some days, or until the shop confirms the purchase.
--
-- Creates empty tables, and lets movements and figures of reports have one more type. `movements` is locked for milliseconds: no row is
-- read. 0056 checks the movements that exist.
--
-- The previous release keeps running. It makes no points wait, and leaves those alone that do. Do not go back to it while points wait:
-- it would never make them available.
--
-- Oldest program: 0026_audit_indexes

-- One row for each purchase whose points wait, as long as they do. What has passed its instant counts already, whether or not a job has
-- written that down.
create table pending_points (
  commerce_id bigint not null references commerces,
  member_id   bigint not null,
  purchase_id bigint not null,
  -- What waits of the purchase. A purchase that earns nothing can wait too, because tiers are reached by the amount.
  points      bigint not null check (points >= 0),
  -- The commerce's time. It was promised when the purchase was recorded, so it never changes.
  due_at      timestamptz(3) not null,
  -- What happens then: the points can be spent, or the purchase is taken back because nobody has confirmed it.
  becomes     text not null check (becomes in ('available', 'cancelled')),
  primary key (commerce_id, member_id, purchase_id),
  foreign key (commerce_id, member_id) references members (commerce_id, id),
  foreign key (commerce_id, purchase_id) references movements (commerce_id, id)
);

create index pending_points_due on pending_points (commerce_id, due_at, member_id);

-- Benefits of tiers that were reached while points waited. They are handed out when none of the purchases wait that were there then.
create table pending_benefits (
  commerce_id bigint not null references commerces,
  member_id   bigint not null,
  tier_id     text not null check (tier_id ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  -- The last of these purchases.
  purchase_id bigint not null,
  primary key (commerce_id, member_id, tier_id),
  foreign key (commerce_id, member_id) references members (commerce_id, id),
  foreign key (commerce_id, purchase_id) references movements (commerce_id, id)
);

-- The points of a purchase became available.
alter table movements
  drop constraint movements_type_check,
  add constraint movements_type_check check (type in
    ('purchase', 'available', 'correction', 'reversal', 'exchange', 'give_back', 'usage', 'undo', 'reward', 'adjustment', 'expiry',
     'redate')) not valid,
  drop constraint a_return_names_its_purchase,
  add constraint a_return_names_its_purchase check
    ((type in ('reversal', 'correction', 'available')) = (reverses_id is not null)) not valid;

alter table report_days
  drop constraint report_days_kind_check,
  add constraint report_days_kind_check check (kind in ('purchase', 'available', 'correction', 'reversal', 'exchange', 'give_back', 'usage',
                                                        'undo', 'reward', 'added', 'taken', 'erased', 'expiry'));
