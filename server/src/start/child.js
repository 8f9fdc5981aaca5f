/** The entry of one of several processes that serve. `children.ts` starts it. */
await import('../base/start-quickly.js');
const { main } = await import('./child.ts');
await main();
