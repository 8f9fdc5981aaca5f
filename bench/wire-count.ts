/** What one statement moved over the connections to PostgreSQL so far. */
export interface WireUse {
  /** As it was sent, with its opening comment. */
  readonly text: string;
  calls: number;
  /** Calls that were sent when nothing was unanswered. The others were sent together with what came before. */
  roundTrips: number;
  /** Rows that came back. */
  rows: number;
  /** Bytes to PostgreSQL and back, with all that the protocol adds. */
  sent: number;
  received: number;
}

/** Looks at everything that one connection sends and receives, in order. */
export interface WireCount {
  sent(bytes: Buffer): void;
  received(bytes: Buffer): void;
}

/**
 * Counts the messages of one connection into `uses`, by the name of their statement. It knows the protocol and not the
 * driver, so the driver may send its messages in any form and any number at once.
 */
export function createWireCount(uses: Map<string, WireUse>): WireCount {
  const prepared = new Map<string, WireUse>();
  /** What has been sent and not yet answered. PostgreSQL answers in order. */
  const unanswered: (Execution | 'sync')[] = [];
  let bound: WireUse | undefined;
  let last: WireUse | undefined;
  let bytes = 0;

  const send = (use: WireUse | undefined, isSimple: boolean) => {
    if (use === undefined) return;
    use.calls += 1;
    use.sent += bytes;
    bytes = 0;
    last = use;
    if (unanswered.length === 0) use.roundTrips += 1;
    unanswered.push({ use, isSimple });
  };
  const onSent = (type: string, body: Buffer, length: number) => {
    bytes += length;
    if (type === 'P') {
      const [name, text] = stringsIn(body);
      prepared.set(name!, useOf(uses, text!));
    } else if (type === 'B') bound = prepared.get(stringsIn(body)[1]!);
    else if (type === 'E') send(bound, false);
    else if (type === 'Q') send(useOf(uses, stringsIn(body)[0]!), true);
    else if (type === 'S') {
      if (last !== undefined) last.sent += bytes;
      bytes = 0;
      unanswered.push('sync');
    } else if (type === 'p') bytes = 0;
  };

  let answered: WireUse | undefined;
  const onReceived = (type: string, _body: Buffer, length: number) => {
    const first = unanswered[0];
    // What comes before the first statement belongs to the start of the connection.
    if (first === undefined) return;
    const use = first === 'sync' ? answered : first.use;
    if (use !== undefined) use.received += length;
    if (type === 'D') use!.rows += 1;
    if (type === 'Z') {
      // After an error, PostgreSQL skips everything up to the next sync.
      while (!isEnd(unanswered.shift()));
    } else if (ENDS.has(type) && first !== 'sync' && !first.isSimple) {
      answered = first.use;
      unanswered.shift();
    }
  };
  return { sent: createSplitter(true, onSent), received: createSplitter(false, onReceived) };
}

/** A statement that was executed, alone or as text of its own. */
interface Execution {
  readonly use: WireUse;
  /** Whether it ends only when PostgreSQL is ready again, because its text may hold several statements. */
  readonly isSimple: boolean;
}

/** Complete, empty, suspended. */
const ENDS = new Set(['C', 'I', 's']);

function isEnd(one: Execution | 'sync' | undefined): boolean {
  return one === undefined || one === 'sync' || one.isSimple;
}

function useOf(uses: Map<string, WireUse>, text: string): WireUse {
  const name = /^-- ([a-z][a-z-]*)\n/.exec(text)?.[1] ?? /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'unknown';
  let use = uses.get(name);
  if (use === undefined) {
    use = { text, calls: 0, roundTrips: 0, rows: 0, sent: 0, received: 0 };
    uses.set(name, use);
  }
  return use;
}

/** Cuts a stream into messages. The first message of a client has no type. */
function createSplitter(
  isClient: boolean,
  onMessage: (type: string, body: Buffer, length: number) => void,
): (bytes: Buffer) => void {
  let isStarted = !isClient;
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const typeBytes = isStarted ? 1 : 0;
      if (rest.length < typeBytes + 4) return;
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) return;
      if (isStarted) onMessage(String.fromCharCode(rest[0]!), rest.subarray(5, length), length);
      isStarted = true;
      rest = rest.subarray(length);
    }
  };
}

/** The first two strings of a message; each ends with a zero. */
function stringsIn(body: Buffer): string[] {
  const end = body.indexOf(0);
  const next = body.indexOf(0, end + 1);
  return [body.toString('utf8', 0, end), body.toString('utf8', end + 1, Math.max(next, end + 1))];
}
