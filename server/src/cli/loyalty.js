#!/usr/bin/env node
/** The entry of the command line. */
import { isRightNode } from '../start/right-node.js';

if (isRightNode()) {
  await import('../base/start-quickly.js');
  await import('./loyalty.ts');
}
