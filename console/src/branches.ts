import type { StaffProgram } from '@loyalty/sdk/admin';

type Branches = StaffProgram['branches'];

/** Returns the name of a branch; undefined if the program has none of this id. */
export function nameOfBranch(branches: Branches, id: number | null): string | undefined {
  return branches.find((branch) => branch.id === id)?.name;
}

/** Returns the name of a register of a branch or, if no branch is named, of the only register with this id. */
export function nameOfRegister(
  branches: Branches,
  id: number | null,
  branchId: number | null,
): string | undefined {
  const found = branches
    .filter((branch) => branchId === null || branch.id === branchId)
    .flatMap(({ registers }) => registers.filter((register) => register.id === id));
  return found.length === 1 ? found[0]!.name : undefined;
}
