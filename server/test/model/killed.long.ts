/** The long form: 100 kills, unless `MODEL_KILLS` says how many. */
process.env['MODEL_KILLS'] ??= '100';
await import('./killed.test.ts');
