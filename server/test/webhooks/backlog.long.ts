/** A hundred thousand deliveries wait for a receiver that was away, unless `WEBHOOK_BACKLOG` says how many. */
process.env['WEBHOOK_BACKLOG'] ??= '100000';
await import('./backlog.test.ts');
