import type { Children } from './children.ts';
import type { FromChild } from './messages.ts';

/** One of the processes does the background work and serves the metrics, so that neither is done several times. */
export interface Lead {
  /** A process is ready. It leads if nobody does. */
  ready(number: number): void;
  /** A process leaves. Another one leads at once. */
  left(number: number): void;
  hear(number: number, message: FromChild): void;
}

/** Metrics of a process that does not answer for so long are left out. */
const LONGEST_READ_MS = 1_000;

/** Chooses who leads, passes on to it what wakes the background work, and gathers the metrics of the others for it. */
export function chooseLead(children: () => Children): Lead {
  let lead: number | null = null;
  let reading = 0;
  const readings = new Map<number, (process: number, text: string) => void>();

  return {
    ready(number) {
      if (lead === null) appoint(number);
    },

    left(number) {
      if (number !== lead) return;
      lead = null;
      const [next] = children().readyOnes();
      if (next !== undefined) appoint(next);
    },

    hear(number, message) {
      if ('wake' in message && lead !== null) children().tell(lead, message);
      else if ('gatherMetrics' in message) gather(number, message.gatherMetrics);
      else if ('metricsRead' in message) readings.get(message.metricsRead)?.(number, message.text);
    },
  };

  function appoint(number: number): void {
    lead = number;
    children().tell(number, { lead: true });
  }

  function gather(asker: number, id: number): void {
    const key = ++reading;
    const others = children()
      .readyOnes()
      .filter((number) => number !== asker);
    const texts: { process: number; text: string }[] = [];
    const end = () => {
      clearTimeout(timer);
      readings.delete(key);
      children().tell(asker, { metrics: { id, texts, counts: children().counts() } });
    };
    const timer = setTimeout(end, LONGEST_READ_MS);
    readings.set(key, (process, text) => {
      texts.push({ process, text });
      if (texts.length === others.length) end();
    });
    for (const number of others) children().tell(number, { readMetrics: key });
    if (others.length === 0) end();
  }
}
