-- Whether the mail server has answered and put this one mail off: a mailbox that is full, or that takes mails from strangers later.
-- Monitoring counts the age of the others only, because those tell that the mail server is away.
--
-- Adds a column with a constant default: `outbox` is locked for an instant. The previous release keeps running, and leaves it false.
--
-- Oldest program: 0026_audit_indexes

alter table outbox add column put_off boolean not null default false;
