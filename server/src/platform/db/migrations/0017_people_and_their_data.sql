-- Runs outside a transaction.
--
-- Staff can block, invite again and erase people.
--
-- Builds two indexes concurrently, while reads and writes go on: about a second for a million rows each. Building them waits
-- for transactions that are already open, a backup included. Adds two constraints to `members`, which locks it for
-- milliseconds, and then validates them: one scan each, 0.2 s for a million rows, while reads and writes go on. If it is
-- interrupted, this file simply runs again.
--
-- The previous release keeps running. It never erased anybody, and blocked nobody.

drop index concurrently if exists invitations_of_mailbox;

-- Counts the mails that all commerces sent to a mailbox.
create index concurrently invitations_of_mailbox on invitations (mailbox_hash, sent_at);

drop index concurrently if exists outbox_of_recipient;

-- Finds the mails to a person, sent ones included, to export them and to erase them.
create index concurrently outbox_of_recipient on outbox (commerce_id, recipient);

-- Only an operator can have written such rows, by hand.
update members
   set email = null, user_id = null, username = null, phone = null, birth_date = null, birth_date_set_at = null,
       block_reason = null
 where erased_at is not null
   and (email is not null or user_id is not null or username is not null or phone is not null
        or birth_date is not null or birth_date_set_at is not null or block_reason is not null);

update members set block_reason = null where blocked_at is null and block_reason is not null;

alter table members
  drop constraint if exists the_erased_have_no_name,
  drop constraint if exists a_reason_belongs_to_a_block,
  add constraint the_erased_have_no_name check
    (erased_at is null or (email is null and user_id is null and username is null and phone is null
                           and birth_date is null and birth_date_set_at is null and block_reason is null)) not valid,
  add constraint a_reason_belongs_to_a_block check (block_reason is null or blocked_at is not null) not valid;

alter table members validate constraint the_erased_have_no_name;
alter table members validate constraint a_reason_belongs_to_a_block;
