-- Addresses whose points nobody claims are erased after 24 months. The job looks for them every few minutes, and most of the members are
-- none of them, so they get an index of their own.
--
-- It locks `members` against writes while it is built, about half a second for a million members; calls wait that long. No column that a
-- purchase writes is in it, so purchases cost what they did.
--
-- The previous release keeps running: it neither reads nor needs the index.

create index members_who_wait on members (commerce_id, created_at) where state = 'invited' and erased_at is null;
