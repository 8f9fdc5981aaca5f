/** The entry of the process that prepares the database for several others. `supervise.ts` starts it. */
await import('../base/start-quickly.js');
const { main } = await import('./preparation.ts');
await main();
