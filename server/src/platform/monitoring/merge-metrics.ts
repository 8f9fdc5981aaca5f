/** The metrics of one of several processes, in the text format of Prometheus. */
export interface ProcessText {
  readonly process: number;
  readonly text: string;
}

/**
 * Joins the metrics of several processes into one page. Each sample gets the label `process`, so nothing is added up that only makes sense
 * apart, such as the age of the oldest call. Prometheus adds up what can be.
 */
export function mergeMetrics(texts: readonly ProcessText[]): string {
  const families = new Map<string, { readonly head: string; readonly samples: string[] }>();
  for (const { process, text } of texts)
    for (const [, head, name, samples] of text.matchAll(FAMILY)) {
      const family = families.get(name!) ?? { head: head!, samples: [] };
      families.set(name!, family);
      for (const sample of samples!.split('\n').filter((line) => line !== ''))
        family.samples.push(labelled(sample, process));
    }
  return Array.from(families.values(), ({ head, samples }) => `${[head, ...samples].join('\n')}\n`).join(
    '\n',
  );
}

/** Two lines about a metric, and the samples up to the next one. */
const FAMILY = /^(# HELP (\S+) .*\n# TYPE .*)\n((?:(?!# HELP ).*\n?)*)/gm;

function labelled(sample: string, process: number): string {
  const at = sample.search(/[{ ]/);
  const [name, rest] = [sample.slice(0, at), sample.slice(at)];
  return rest.startsWith('{')
    ? `${name}{process="${process}",${rest.slice(1)}`
    : `${name}{process="${process}"}${rest}`;
}
