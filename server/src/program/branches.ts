import type { Program } from './program.ts';

type Branches = Program['branches'];

/** Returns the name of a branch; null if the program has none of this id. */
export function nameOfBranch(branches: Branches, id: number): string | null {
  return branches.find((branch) => branch.id === id)?.name ?? null;
}

/** Returns the name of a register of a branch or, if no branch is named, of the only register with this id; null if there is none. */
export function nameOfRegister(branches: Branches, id: number, branchId: number | null): string | null {
  const found = branches
    .filter((branch) => branchId === null || branch.id === branchId)
    .flatMap(({ registers }) => registers.filter((register) => register.id === id));
  return found.length === 1 ? found[0]!.name : null;
}
