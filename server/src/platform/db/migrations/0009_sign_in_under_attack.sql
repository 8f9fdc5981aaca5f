-- Strangers can no longer spend the sign-in limits of a person, and limits count mailboxes instead of spellings of an
-- address. Each code gets a link that signs in without digits.
--
-- Creates tables and fills two of them from members and rewards: about 15 s for a million members, while calls go on. Then
-- adds columns with constant defaults and two triggers, and indexes the sends of two days: moments.
--
-- The previous release keeps running. The codes that it sends have no link, its calls count as those of strangers, and
-- triggers note the invitations and welcome rewards that it gives.

-- Returns the mailbox that an address delivers to: without `+tag`, and without dots where the provider ignores them.
-- `server/src/text/mailbox.ts` has the same rule.
create function mailbox_of(address text) returns text
  language sql immutable parallel safe
  return case
    when address like '%@gmail.com' or address like '%@googlemail.com'
    then replace(split_part(regexp_replace(address, '^([^@+]+)[+][^@]*@', '\1@'), '@', 1), '.', '') || '@gmail.com'
    else regexp_replace(address, '^([^@+]+)[+][^@]*@', '\1@')
  end;

-- For tables that outlive the address, such as that of an erased person.
create function mailbox_hash_of(address text) returns bytea
  language sql stable parallel safe
  return sha256(convert_to(mailbox_of(address), 'UTF8'));

-- The last invitation of a mailbox by a commerce.
create table invitations (
  commerce_id  bigint not null,
  mailbox_hash bytea not null check (length(mailbox_hash) = 32),
  -- Real time, not the commerce's.
  sent_at      timestamptz(3) not null default now(),
  primary key (commerce_id, mailbox_hash)
);

insert into invitations (commerce_id, mailbox_hash, sent_at)
select commerce_id, mailbox_hash_of(email), max(invited_at)
  from members
 where invited_at > now() - interval '30 days' and email is not null
 group by commerce_id, mailbox_hash_of(email);

-- The mailboxes that a commerce has welcomed, so that aliases of one mailbox get one welcome reward.
create table welcomed_mailboxes (
  commerce_id  bigint not null,
  mailbox_hash bytea not null check (length(mailbox_hash) = 32),
  primary key (commerce_id, mailbox_hash)
);

insert into welcomed_mailboxes (commerce_id, mailbox_hash)
select r.commerce_id, mailbox_hash_of(m.email)
  from rewards r
  join members m on m.commerce_id = r.commerce_id and m.id = r.member_id
 where r.event = 'welcome' and m.email is not null
    on conflict do nothing;

-- Added when the rows are there, which is faster and locks commerces for moments only.
alter table invitations add foreign key (commerce_id) references commerces;
alter table welcomed_mailboxes add foreign key (commerce_id) references commerces;

-- The invitations that a commerce wanted to send on a day in UTC. It may send those up to the limit.
create table invitation_days (
  commerce_id bigint not null references commerces,
  day         date not null,
  wanted      bigint not null,
  primary key (commerce_id, day)
);

-- The networks that mailboxes have signed in from in the last 180 days. Both are keyed hashes, and the hash of a network
-- includes the mailbox, so nobody can read from this table who shares a network.
create table sign_in_known_networks (
  mailbox_hash bytea not null check (length(mailbox_hash) = 32),
  network_hash bytea not null check (length(network_hash) = 32),
  signed_in_at timestamptz(3) not null default now(),
  primary key (mailbox_hash, network_hash)
);

-- Failures of strangers by clock hour: of a wide network, of a commerce and of the whole installation. A crash of the
-- database loses them, which only resets the limits.
create unlogged table sign_in_failure_counts (
  hour     timestamptz(3) not null,
  -- A /24 or /48 network, `commerce` and its id, or `installation`.
  scope    text not null,
  failures integer not null,
  primary key (hour, scope)
);

-- True if the mailbox had signed in from the network of the call before.
alter table sign_in_sends add column from_known_network boolean not null default false;
alter table sign_in_failures add column from_known_network boolean not null default false;
create index sign_in_sends_of_mailbox on sign_in_sends (mailbox_of(email), sent_at);

-- The link is valid only with the code it was sent with: a code of the previous release changes `issued_at` alone.
alter table sign_in_codes
  add column link_hash bytea check (length(link_hash) = 32),
  add column link_issued_at timestamptz(3);
create unique index sign_in_codes_by_link on sign_in_codes (commerce_id, link_hash) where link_hash is not null;

create function note_invitation() returns trigger language plpgsql as $$
begin
  insert into invitations as i (commerce_id, mailbox_hash, sent_at)
  values (new.commerce_id, mailbox_hash_of(new.email), new.invited_at)
      on conflict (commerce_id, mailbox_hash) do update set sent_at = excluded.sent_at
   where i.sent_at < excluded.sent_at;
  return null;
end $$;

create trigger note_invitation after update of invited_at on members
  for each row when (new.invited_at is not null and new.email is not null) execute function note_invitation();

-- Skips the row if the mailbox was welcomed before. The reward then counts as one that was given already.
create function welcome_mailbox_once() returns trigger language plpgsql as $$
begin
  insert into welcomed_mailboxes (commerce_id, mailbox_hash)
  select new.commerce_id, mailbox_hash_of(m.email)
    from members m
   where m.commerce_id = new.commerce_id and m.id = new.member_id and m.email is not null
      on conflict do nothing;
  if found then
    return new;
  end if;
  return null;
end $$;

create trigger welcome_mailbox_once before insert on rewards
  for each row when (new.event = 'welcome') execute function welcome_mailbox_once();
