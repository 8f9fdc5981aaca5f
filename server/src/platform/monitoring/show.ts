import { Counter, Gauge, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
/** A value, one for each set of labels, or null for nothing. */
type Values = number | null | Iterable<readonly [Labels, number]>;

/** The name of a metric, and its meaning. */
export interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Shows values that are read when somebody asks for the metrics, and that can go up and down. */
export function showGauge(registry: Registry, description: Description, read: () => Values): void {
  const gauge: Gauge = new Gauge({
    ...optionsOf(description),
    collect: () => fill(gauge, read(), (labels, value) => gauge.set(labels, value)),
  });
  registry.registerMetric(gauge);
}

/** Shows counts that are kept elsewhere and only grow. */
export function showCounter(registry: Registry, description: Description, read: () => Values): void {
  const counter: Counter = new Counter({
    ...optionsOf(description),
    collect: () => fill(counter, read(), (labels, count) => counter.inc(labels, count)),
  });
  registry.registerMetric(counter);
}

function optionsOf({ name, help, labels = [] }: Description) {
  return { name, help, labelNames: labels, registers: [] };
}

function fill(
  metric: { reset(): void; remove(): void },
  values: Values,
  add: (labels: Labels, value: number) => void,
): void {
  metric.reset();
  if (typeof values === 'number') add({}, values);
  // After a reset, a metric without labels is 0, which is not nothing.
  else if (values === null) metric.remove();
  else for (const [labels, value] of values) add(labels, value);
}
