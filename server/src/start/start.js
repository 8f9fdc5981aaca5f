/** The entry of the service: `npm start`. */
import { isRightNode } from './right-node.js';

if (isRightNode()) {
  await import('../base/keep-compiled.js');
  const { main } = await import('./main.ts');
  await main();
}
