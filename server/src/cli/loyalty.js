#!/usr/bin/env node
/** The entry of the command line. */
import { isRightNode } from '../right-node.js';

if (isRightNode()) {
  await import('../keep-compiled.js');
  await import('./loyalty.ts');
}
