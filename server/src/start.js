/** The entry of the service: `npm start`. */
import './keep-compiled.js';

const { main } = await import('./main.ts');
await main();
