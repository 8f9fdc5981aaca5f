-- Staff can block, invite again and erase people.
--
-- Builds two indexes: invitations and mails wait meanwhile, about a second for a million rows of both tables. Adds two
-- constraints to `members` without reading it: the lock lasts milliseconds. Rows of before are checked when they change, and
-- by `ledger verify`.
--
-- The previous release keeps running. It never erased anybody, and blocked nobody with a reason.

-- Counts what a mailbox was sent by all commerces.
create index invitations_of_mailbox on invitations (mailbox_hash, sent_at);

-- Finds the mails to a person, sent ones included, to export them and to erase them.
create index outbox_of_recipient on outbox (commerce_id, recipient);

alter table members
  add constraint the_erased_have_no_name check
    (erased_at is null or (email is null and user_id is null and username is null and phone is null
                           and birth_date is null and birth_date_set_at is null and block_reason is null)) not valid,
  add constraint a_reason_belongs_to_a_block check (block_reason is null or blocked_at is not null) not valid;
