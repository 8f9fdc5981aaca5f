/** The long form of the races: 200 rounds, unless `RACE_ROUNDS` says how many. */
process.env['RACE_ROUNDS'] ??= '200';
await import('./scarce-things.test.ts');
await import('./everything-at-once.test.ts');
await import('./erasure.test.ts');
await import('../../src/loyalty/purchases/external-id.test.ts');
