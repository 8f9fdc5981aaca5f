import type { Children } from './children.ts';
import type { FromChild } from './messages.ts';
import type { ProcessText } from '#monitoring/merge-metrics.ts';

/**
 * One of the processes does the background work and serves the metrics, so that neither is done several times. Some of them write: all
 * processes hand them their calls, those of a commerce always to the same one.
 */
export interface Lead {
  /** A process is ready. It leads if nobody does, and writes if one is missing that writes. */
  ready(number: number): void;
  /** A process leaves. What it did, another one does at once. */
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
 * How many of so many processes write. What a purchase costs in Node is about half the request and half the batch, so that half of the
 * processes can write for all; and the fewer they are, the more calls share a transaction.
 */
function writersOf(processes: number): number {
  return Math.max(1, Math.floor(processes / 2));
}

/**
 * Chooses who leads and who writes, tells all where calls are taken, passes on to the one that leads what wakes the background work, and
 * gathers the metrics of the others for it.
 */
export function chooseLead(processes: number, children: () => Children): Lead {
  let lead: number | null = null;
  /** By the process that takes calls. */
  const paths = new Map<number, string>();
  const writers: (number | null)[] = Array.from({ length: writersOf(processes) }, () => null);
  let lastReading = 0;
  const readings = new Map<number, Reading>();

  return {
    ready(number) {
      if (lead === null) appoint(number);
      if (!fillPlaces()) children().tell(number, { writers: whereWritten() });
    },

    left(number) {
      for (const reading of readings.values()) tick(reading, number);
      paths.delete(number);
      if (writers.includes(number)) {
        writers[writers.indexOf(number)] = null;
        if (!fillPlaces()) tellAll();
      }
      if (number !== lead) return;
      lead = null;
      const [next] = children().readyOnes();
      if (next !== undefined) appoint(next);
    },

    hear(number, message) {
      if ('wake' in message && lead !== null) children().tell(lead, message);
      else if ('writes' in message) paths.set(number, message.writes);
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

  /** Lets the first processes that do not write do so where one is missing. Returns true if all were told. */
  function fillPlaces(): boolean {
    const free = children()
      .readyOnes()
      .filter((number) => paths.has(number) && !writers.includes(number));
    const missing = writers.flatMap((writer, place) => (writer === null ? [place] : []));
    const filled = missing.slice(0, free.length);
    for (const [i, place] of filled.entries()) writers[place] = free[i]!;
    if (filled.length > 0) tellAll();
    return filled.length > 0;
  }

  function tellAll(): void {
    for (const number of children().readyOnes()) children().tell(number, { writers: whereWritten() });
  }

  function whereWritten(): readonly (string | null)[] {
    return writers.map((number) => (number === null ? null : paths.get(number)!));
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
