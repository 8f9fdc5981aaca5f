-- Members choose which mails they get, and addresses that bounce or complain get only sign-in codes.
--
-- Creates two tables. The foreign key locks `members` against writes for milliseconds, because the new table is empty.
--
-- The previous release keeps running. It knows neither table, so a process of it still sends a mail that was stopped.

-- The mails that a member has stopped.
create table mail_stops (
  commerce_id bigint not null,
  member_id   bigint not null,
  -- A kind of message, such as 'expiring', or 'all': then also those of later releases.
  kind        text not null,
  stopped_at  timestamptz(3) not null default now(),
  primary key (commerce_id, member_id, kind),
  foreign key (commerce_id, member_id) references members (commerce_id, id)
);

-- The mailboxes that get nothing but sign-in codes, over all commerces, because all mails leave from one address.
create table mail_suppressions (
  -- Not the address: the row outlives the person.
  mailbox_hash bytea primary key check (length(mailbox_hash) = 32),
  reason       text not null check (reason in ('bounce', 'complaint')),
  since        timestamptz(3) not null default now()
);
