/**
 * What a default cannot do for a program that an older release stored: steps in the order in which the model changed.
 * A step sees by what is missing whether it is its turn, and gives back the document as it is where nothing is. It is
 * a pure function of the document, since the same version is read in many processes and must be the same in each.
 */
type Upgrade = (program: unknown) => unknown;

export const upgrades: readonly Upgrade[] = [];
