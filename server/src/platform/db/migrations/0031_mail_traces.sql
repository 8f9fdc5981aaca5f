-- Where the work that caused a mail stands in a trace, so that sending it can be linked with the call.
--
-- Adds a column without a default: `outbox` is locked for an instant. The previous release keeps running, and leaves it empty.
--
-- Oldest program: 0026_audit_indexes

-- W3C's `traceparent`. Null if the work was not traced.
alter table outbox add column trace text;
