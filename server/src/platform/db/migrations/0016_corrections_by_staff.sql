-- What staff correct by hand: notes that a person typed about a movement, and tiers that staff have pinned.
--
-- Creates a table and adds three columns without a default: the locks last milliseconds. The foreign keys of the table lock
-- `movements` and `members` against writes for as long, because the table is empty.
--
-- The previous release keeps running. It shows the note that the program made instead of the typed one. It shows a pinned
-- tier and leaves it alone, as it always did; what lies beneath the pin catches up with the next change by this release.

-- A note that a person typed, shown to the member instead of the note of the movement. The ledger cannot change; a row here
-- can be deleted, so that erasing a person leaves no free text behind.
create table movement_notes (
  commerce_id bigint not null,
  movement_id bigint not null,
  member_id   bigint not null,
  note        text not null check (length(note) between 1 and 1000),
  primary key (commerce_id, movement_id),
  foreign key (commerce_id, movement_id) references movements,
  foreign key (commerce_id, member_id) references members
);

create index movement_notes_of_member on movement_notes (commerce_id, member_id);

-- While `tier_pinned`, `tier_id` is the tier that staff have pinned, and the other columns about the tier describe the one
-- that the member has by the rules of the program, which goes on beneath.
alter table members
  add column tier_pinned_at timestamptz(3),
  -- The tier by the rules, while another one is pinned. Null is none.
  add column tier_beneath   text;
