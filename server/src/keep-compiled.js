/**
 * Keeps what Node compiles, for the next start to read: imported by an entry before anything else. Where its folder
 * cannot be written, a start takes longer, and that is all.
 *
 * Entries are JavaScript: where every module is kept, what would strip their types is never loaded (18 MB of memory).
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'));
