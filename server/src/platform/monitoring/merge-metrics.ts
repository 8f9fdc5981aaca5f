/** The metrics of one of several processes, in the text format of Prometheus. */
export interface ProcessText {
  readonly process: number;
  readonly text: string;
}

/**
 * Joins the metrics of several processes into one page. Each sample gets the label `process`, so nothing is added up that only makes sense
 * apart, such as the oldest call. Whoever wants the sum asks Prometheus for it.
 */
export function mergeMetrics(texts: readonly ProcessText[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const { process, text } of texts) {
    let family = { head: [] as string[], samples: [] as string[] };
    for (const line of text.split('\n')) {
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (kind === 'HELP') {
        const known = families.get(name!);
        family = known === undefined ? { head: [line], samples: [] } : { ...known, head: [...known.head] };
        families.set(name!, family);
      } else if (kind === 'TYPE') {
        if (family.head.length === 1) family.head.push(line);
      } else if (line !== '') family.samples.push(labelled(line, process));
    }
  }
  return Array.from(families.values(), ({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('\n');
}

function labelled(sample: string, process: number): string {
  const [, name = '', labels] = /^([\w:]+)(\{)?/.exec(sample)!;
  const rest = sample.slice(name.length + (labels ?? '').length);
  return labels === undefined ? `${name}{process="${process}"}${rest}` : `${name}{process="${process}",${rest}`;
}
