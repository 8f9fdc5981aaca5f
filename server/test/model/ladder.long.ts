/** The long form: 50,000 lives on random ladders, unless `LADDER_HISTORIES` says how many. */
process.env['LADDER_HISTORIES'] ??= '50000';
await import('./ladder.test.ts');
