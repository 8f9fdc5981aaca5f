-- Pictures that a shop uploads for its program: logo, cover, benefits, tiers.
--
-- Only creates a table. Locks nothing and moves no data.
--
-- The service writes each picture anew before it is stored, so the bytes are never those that were sent. A program names a
-- picture by its hash. Rows are never updated.

create table pictures (
  commerce_id bigint not null references commerces,
  -- The first 128 bits of the SHA-256 of `large`, as base64url.
  hash        text not null check (hash ~ '^[A-Za-z0-9_-]{22}$'),
  -- Of the large one, in pixels.
  width       integer not null check (width > 0),
  height      integer not null check (height > 0),
  -- WebP, at most 1,200 and 400 pixels on the longer side.
  large       bytea not null check (length(large) <= 2000000),
  small       bytea not null check (length(small) <= 500000),
  uploaded_at timestamptz(3) not null default now(),
  primary key (commerce_id, hash)
);

-- WebP is compressed already.
alter table pictures alter column large set storage external, alter column small set storage external;
