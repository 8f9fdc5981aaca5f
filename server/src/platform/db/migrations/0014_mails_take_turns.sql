-- Mails are sent in turns: one mail of each commerce, then the next of each, so that a commerce with thousands of waiting
-- mails does not delay the sign-in code of another. `turn` only means something among the mails that still wait.
--
-- The column has a constant default, so the table is not rewritten. Mails wait while the indexes are built: a third of a
-- second for a million mails, sent ones included. The release before writes turn 0, which is sent first.
alter table outbox add column turn bigint not null default 0;

create index outbox_turns on outbox (urgent desc, turn, due_at) where sent_at is null and failed_at is null;
create index outbox_turns_of_commerce on outbox (commerce_id, urgent, turn) where sent_at is null and failed_at is null;
drop index outbox_waiting;
