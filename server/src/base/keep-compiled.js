/**
 * Caches compiled code on disk for the next start. An entry imports this before any TypeScript. If the folder cannot
 * be written, starts are only slower.
 *
 * The entries are JavaScript, so that with a full cache Node never loads the code that strips types (18 MB of
 * memory).
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/node'));
