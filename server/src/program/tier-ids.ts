import type { Program } from './program.ts';

type Tier = Program['levels']['ladder'][number];

/** A file without ids is ambiguous. The message says which ids to write for each meaning. */
export class TiersNotTold extends Error {}

/**
 * Returns the program with an id for each tier. A tier without an id is the stored tier of the same name. A new tier
 * gets an id made from its name, or `tier-N` if the name yields no id or one that is taken. Applying the same file
 * again finds the same tiers.
 * @param stored the program in force; null for a new commerce
 * @throws TiersNotTold if a stored tier is missing and an unknown tier has no id: it may be the old tier renamed
 */
export function withTierIds(program: Program, stored: Program | null): Program {
  const before = stored?.levels.ladder ?? [];
  const { ladder } = program.levels;
  const free = new Map(before.map((tier) => [tier.id!, tier]));
  for (const { id } of ladder) if (id !== null) free.delete(id);
  const known = ladder.map((tier): Tier => {
    const same = tier.id === null ? free.values().find(({ name }) => name === tier.name) : undefined;
    if (same === undefined) return tier;
    free.delete(same.id!);
    return { ...tier, id: same.id };
  });
  const named = known.reduce<Tier[]>((all, tier, index) => {
    const taken = new Set([...known.slice(index), ...all, ...before].map(({ id }) => id));
    return [...all, tier.id === null ? { ...tier, id: newId(tier.name, index + 1, taken) } : tier];
  }, []);
  const isNew = (index: number) => known[index]!.id === null;
  if (free.size > 0 && named.some((_, index) => isNew(index)))
    throw new TiersNotTold(sentence([...free.values()], named, isNew));
  return { ...program, levels: { ...program.levels, ladder: named } };
}

/** Returns an id made from a name: small letters, digits and hyphens, without accents. '' if nothing is left. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 64)
    .replace(/-$/, '');
}

function newId(name: string, rank: number, taken: ReadonlySet<string | null>): string {
  const slug = slugOf(name);
  if (slug !== '' && !taken.has(slug)) return slug;
  let number = rank;
  while (taken.has(`tier-${number}`)) number++;
  return `tier-${number}`;
}

function sentence(gone: readonly Tier[], ladder: readonly Tier[], isNew: (index: number) => boolean): string {
  const lines = ladder.map(({ name, id }, index) => {
    if (!isNew(index)) return `  ${name}: id ${id}`;
    const renamed = gone.map((tier) => `id ${tier.id} if it is ${tier.name} under a new name`).join(', ');
    return `  ${name}: ${renamed}, id ${id} if it is a new tier`;
  });
  const names = (tiers: readonly Tier[]) => tiers.map(({ name }) => name).join(', ');
  const added = names(ladder.filter((_, index) => isNew(index)));
  return [
    `missing ${names(gone)}, and unknown ${added}, which may be a new name. Write the id of each tier:`,
    ...lines,
  ].join('\n');
}
