import type { Program } from './program.ts';

type Tier = Program['levels']['ladder'][number];

/** A file without ids that may mean two things, with the ids that say which of them it means. */
export class TiersNotTold extends Error {}

/**
 * The program with an id for each tier. A tier that says none is the stored one of its name; a new one is named after
 * itself, or `tier-N` if that yields nothing or is taken. Applying the same file again finds the same tiers.
 * @param stored the program in force; null for a new commerce
 * @throws TiersNotTold if a stored tier disappears and an unknown one without an id appears: it may be a new name
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

/** An id made from a name: small letters, digits and hyphens, accents left out; '' if nothing is left. */
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
    `levels.ladder: missing ${names(gone)}, and unknown ${added}, which may be a new name. Write the id of each tier:`,
    ...lines,
  ].join('\n');
}
