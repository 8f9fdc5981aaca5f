#!/usr/bin/env node
/** The command line as a program. */
import '../keep-compiled.js';

await import('./loyalty.ts');
