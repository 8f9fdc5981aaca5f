/** The model's long form: 2,500 programs, each run twice, unless `MODEL_PROGRAMS` says how many. */
process.env['MODEL_PROGRAMS'] ??= '2500';
await import('./program.test.ts');
