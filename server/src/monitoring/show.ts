import { Counter, Gauge, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** A value, one for each set of labels, or null for nothing. */
type Values = number | null | Iterable<readonly [Labels, number]>;

/** What a metric is called, and what it says. */
export interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Shows values that are read when somebody asks for the metrics, and that can go up and down. */
export function showGauge(
  registry: Registry,
  { name, help, labels = [] }: Description,
  read: () => Values,
): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [],
      collect() {
        this.reset();
        const values = read();
        if (typeof values === 'number') this.set(values);
        // After a reset, a metric without labels is 0, which is not nothing.
        else if (values === null) this.remove();
        else for (const [of, value] of values) this.set(of, value);
      },
    }),
  );
}

/** Shows counts that are kept elsewhere and only grow. */
export function showCounter(
  registry: Registry,
  { name, help, labels = [] }: Description,
  read: () => Values,
): void {
  registry.registerMetric(
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [],
      collect() {
        this.reset();
        const values = read();
        if (typeof values === 'number') this.inc(values);
        else if (values === null) this.remove();
        else for (const [of, value] of values) this.inc(of, value);
      },
    }),
  );
}
