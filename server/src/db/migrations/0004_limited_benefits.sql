-- What a shop shows is asked for with every visit, and of all its benefits only those with a limit can sell out.
--
-- Builds one small index: exchanges wait while it is built, some milliseconds for thousands of benefits.

-- Neither `sold` nor anything else that an exchange updates is part of it, so that the update stays on its page (HOT).
create index benefits_limited on benefits (commerce_id) where buy_limit > 0 and withdrawn_at is null;
