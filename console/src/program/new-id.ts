/** Returns an id made of the words of a title. It stays for ever, so a taken one gets a number. */
export function newId(title: string, otherwise: string, isTaken: (id: string) => boolean): string {
  const words = title
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replaceAll(/^-+|-+$/g, '');
  const base = words === '' ? otherwise : words;
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!isTaken(id)) return id;
  }
}
