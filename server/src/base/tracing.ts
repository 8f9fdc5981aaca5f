/**
 * Tracing, as the code that is traced sees it. `monitoring/open-telemetry.ts` implements it. It is null in a service without
 * OTEL_EXPORTER_OTLP_ENDPOINT, which then does nothing of it.
 */
export interface Tracing {
  /** Begins the span of a call that came over HTTP. A trace that the caller has begun goes on. */
  beginCall(headers: Readonly<Record<string, string | string[] | undefined>>): CallSpan;
  /** Returns where the caller's work stands. Null if it is not recorded. */
  here(): Place | null;
  /** Returns where the caller's work stands in the form of W3C's `traceparent`. Null if it is not recorded. */
  write(): string | null;
  /** Runs work as one step of what is being done. If it is not recorded, the work just runs. */
  step<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /**
   * Runs work that is done for several at once. It belongs to the first of them that is recorded, and is linked with all
   * others in both directions.
   */
  shared<T>(
    name: string,
    attributes: Attributes,
    places: readonly (Place | null)[],
    work: () => Promise<T>,
  ): Promise<T>;
  /** Runs work that somebody asked for earlier, as a trace of its own that is linked with theirs. */
  later<T>(name: string, attributes: Attributes, asked: string | null, work: () => Promise<T>): Promise<T>;
  /** Sends what has not been sent, for a few seconds at most. */
  stop(): Promise<void>;
}

/** The span of a call. */
export interface CallSpan {
  /** Null if it is not recorded. */
  readonly traceId: string | null;
  /** Runs code that belongs to the call. */
  run(code: () => void): void;
  end(name: string, attributes: Attributes, failed: boolean): void;
}

export type Attributes = Readonly<Record<string, string | number>>;

/** A place in a trace. Only `Tracing` looks inside. */
export interface Place {
  readonly [isPlace]: true;
}

declare const isPlace: unique symbol;
