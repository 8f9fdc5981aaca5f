/**
 * Fast-check with the seed of all random tests. `npm test` repeats one seed, so that a commit passes or fails every time.
 * `TEST_SEED=random` tries what nobody has tried yet, as the long forms do, and `TEST_SEED=123` repeats a run that failed.
 */
import * as fc from 'fast-check';

const asked = process.env['TEST_SEED'] ?? '1';

export const SEED = asked === 'random' ? Date.now() % 1_000_000_000 : Number(asked);

fc.configureGlobal({ seed: SEED });

export * from 'fast-check';
