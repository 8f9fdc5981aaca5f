import type { Program } from '@loyalty/sdk/admin';

/**
 * Returns the registers of these branches, or of all if none is named, by their ids and names. Those that share an id are one, named with
 * their branches.
 */
export function registersOf(
  branches: Program['branches'],
  ids: readonly number[],
): (readonly [id: number, name: string])[] {
  const registers = branches
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
    .flatMap((branch) => branch.registers.map((register) => ({ ...register, branch: branch.name })));
  return [...new Set(registers.map(({ id }) => id))].map((id) => {
    const same = registers.filter((register) => register.id === id);
    const [only] = same;
    if (only !== undefined && same.length === 1) return [id, only.name];
    return [id, same.map(({ name, branch }) => `${name} (${branch})`).join(', ')];
  });
}
