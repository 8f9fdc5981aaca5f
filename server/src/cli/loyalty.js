#!/usr/bin/env node
/** The entry of the command line. */
import '../keep-compiled.js';

await import('./loyalty.ts');
