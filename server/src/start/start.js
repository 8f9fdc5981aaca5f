/** The entry of the service: `npm start`. */
import { isRightNode } from './right-node.js';

if (isRightNode()) {
  await import('../base/start-quickly.js');
  const { main } = await import('./main.ts');
  await main();
}
