/**
 * Steps that complete a program of an older release where a default is not enough, in the order in which the model
 * changed. A step looks for what is missing and returns the same document if nothing is. It must be a pure function,
 * because every process that reads the document must get the same result.
 */
type Upgrade = (program: unknown) => unknown;

export const upgrades: readonly Upgrade[] = [];
