import type { Children } from './children.ts';
import type { FromChild } from './messages.ts';
import type { ProcessText } from '#monitoring/merge-metrics.ts';

/**
 * One of the processes does the background work and serves the metrics, so that neither is done several times. The others hand it the calls
 * that write.
 */
export interface Lead {
  /** A process is ready. It leads if nobody does, or hears who writes. */
  ready(number: number): void;
  /** A process leaves. If it was the one that leads, another one does so at once. */
  left(number: number): void;
  hear(number: number, message: FromChild): void;
}

interface Reading {
  readonly missing: Set<number>;
  readonly texts: ProcessText[];
  readonly end: () => void;
}

/** The metrics of a process that does not answer for so long are left out. */
const LONGEST_READ_MS = 1_000;

/**
 * Chooses who leads, tells the others where it takes their calls, passes on to it what wakes the background work, and gathers the metrics of
 * the others for it.
 */
export function chooseLead(children: () => Children): Lead {
  let lead: number | null = null;
  let writer: string | null = null;
  let lastReading = 0;
  const readings = new Map<number, Reading>();

  return {
    ready(number) {
      if (lead === null) appoint(number);
      else if (writer !== null) children().tell(number, { writer });
    },

    left(number) {
      for (const reading of readings.values()) tick(reading, number);
      if (number !== lead) return;
      lead = null;
      if (writer !== null) tellOthers(number, null);
      const [next] = children().readyOnes();
      if (next !== undefined) appoint(next);
    },

    hear(number, message) {
      if ('wake' in message && lead !== null) children().tell(lead, message);
      else if ('writes' in message && number === lead) tellOthers(number, message.writes);
      else if ('gatherMetrics' in message) gather(number, message.gatherMetrics);
      else if ('metricsRead' in message) {
        const reading = readings.get(message.metricsRead);
        reading?.texts.push({ process: number, text: message.text });
        if (reading !== undefined) tick(reading, number);
      }
    },
  };

  function appoint(number: number): void {
    lead = number;
    children().tell(number, { lead: true });
  }

  function tellOthers(self: number, where: string | null): void {
    writer = where;
    for (const number of children().readyOnes()) if (number !== self) children().tell(number, { writer });
  }

  function gather(asker: number, id: number): void {
    const key = ++lastReading;
    const others = children()
      .readyOnes()
      .filter((number) => number !== asker);
    const texts: ProcessText[] = [];
    const end = () => {
      clearTimeout(timer);
      if (readings.delete(key))
        children().tell(asker, { metrics: { id, texts, counts: children().counts() } });
    };
    const timer = setTimeout(end, LONGEST_READ_MS);
    readings.set(key, { missing: new Set(others), texts, end });
    for (const number of others) children().tell(number, { readMetrics: key });
    if (others.length === 0) end();
  }
}

function tick({ missing, end }: Reading, number: number): void {
  missing.delete(number);
  if (missing.size === 0) end();
}
