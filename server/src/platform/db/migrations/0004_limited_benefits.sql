-- Every visit to a catalog asks which benefits are sold out, and only benefits with a limit can sell out.
--
-- Builds one small index. Exchanges wait while it is built, some milliseconds for thousands of benefits.

-- The index contains neither `sold` nor any other column that an exchange updates, so the update stays on its page
-- (HOT).
create index benefits_limited on benefits (commerce_id) where buy_limit > 0 and withdrawn_at is null;
