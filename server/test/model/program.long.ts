/** The model's long form: 5,000 programs, unless `MODEL_PROGRAMS` says how many. */
process.env['MODEL_PROGRAMS'] ??= '5000';
await import('./program.test.ts');
