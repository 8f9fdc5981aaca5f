/** The service as a program: `npm start`. */
import './keep-compiled.js';

const { main } = await import('./main.ts');
await main();
