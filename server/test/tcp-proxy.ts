/** A TCP proxy in front of PostgreSQL that can fall silent, as a firewall or a lost host does: no FIN and no RST. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Swallows every byte in both directions, of open and of new connections. */
  fallSilent(): void;
  /** Swallows every byte of the open connections for good. New connections work. */
  silenceOpenConnections(): void;
  /** The next so many answers to COMMIT vanish, and everything that follows on their connections. */
  swallowCommitReplies(count: number): void;
  /** New connections work again. The silent ones stay silent, as after a failover. */
  answerAgain(): void;
  /**
   * Cuts the open connection of this place, counted from the oldest, at its next message of that side: before it is
   * passed on, in its middle, or behind it.
   */
  cutAtNext(place: number, side: 'client' | 'server', moment: 'before' | 'middle' | 'behind'): void;
  /** Cuts the connection that brings this message of a client, counted from now. */
  cutAtMessage(number: number, moment: 'before' | 'behind'): void;
  /** Returns how many messages clients have sent. */
  messages(): number;
  /** Returns how many connections were cut at a message. */
  cuts(): number;
  /** From now on, new connections lead there. */
  turnTo(target: { host: string; port: number }): void;
  /** Cuts the connections that are silent. */
  cutSilent(): void;
  /** Cuts every connection and refuses new ones, as a stopped server does. */
  refuse(): void;
  /** Returns how many answers to COMMIT have vanished. */
  swallowed(): number;
  close(): Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  silent: boolean;
  /** Where to cut it, or null. */
  cut: { side: 'client' | 'server'; moment: 'before' | 'middle' | 'behind' } | null;
}

export async function startTcpProxy(first: { host: string; port: number }): Promise<TcpProxy> {
  let target = first;
  let cuts = 0;
  let messages = 0;
  let last: { message: number; moment: 'before' | 'behind' } = { message: Infinity, moment: 'before' };
  const lines = new Set<Line>();
  const sockets = new Set<Socket>();
  let isSilent = false;
  let refuses = false;
  let toSwallow = 0;
  let swallowed = 0;

  const server = createServer((client) => {
    if (refuses) {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target.port, target.host);
    const line: Line = { client, upstream, silent: isSilent, cut: null };
    lines.add(line);
    client.on('data', (chunk: Buffer) => {
      if (line.silent) return;
      messages += 1;
      if (messages === last.message) line.cut = { side: 'client', moment: last.moment };
      if (line.cut?.side === 'client') return cutAt(line, upstream, chunk);
      upstream.write(chunk);
      if (toSwallow > 0 && /commit\0/i.test(chunk.toString('latin1'))) {
        toSwallow -= 1;
        swallowed += 1;
        line.silent = true;
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      if (line.silent) return;
      if (line.cut?.side === 'server') return cutAt(line, client, chunk);
      client.write(chunk);
    });
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        // The other side of a silent connection never learns that this side has ended.
        if (one === client) lines.delete(line);
        if (!line.silent) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function cutAt({ client, upstream, cut }: Line, to: Socket, chunk: Buffer): void {
    cuts += 1;
    const passed = { before: 0, middle: Math.ceil(chunk.length / 2), behind: chunk.length }[cut!.moment];
    const from = to === client ? upstream : client;
    from.resetAndDestroy();
    // Bytes written before the end still arrive.
    to.end(chunk.subarray(0, passed));
  }

  const silenceAll = () => {
    for (const line of lines) line.silent = true;
  };
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent() {
      isSilent = true;
      silenceAll();
    },
    silenceOpenConnections: silenceAll,
    swallowCommitReplies: (count) => void (toSwallow = count),
    answerAgain() {
      isSilent = false;
      refuses = false;
    },
    cutAtNext(place, side, moment) {
      const line = [...lines][place % Math.max(1, lines.size)];
      if (line !== undefined) line.cut = { side, moment };
    },
    cutAtMessage: (number, moment) => void (last = { message: messages + number, moment }),
    messages: () => messages,
    cuts: () => cuts,
    turnTo: (next) => void (target = next),
    cutSilent() {
      for (const { client, silent } of lines) if (silent) client.resetAndDestroy();
    },
    refuse() {
      refuses = true;
      for (const { client, upstream } of lines) {
        client.resetAndDestroy();
        upstream.destroy();
      }
    },
    swallowed: () => swallowed,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
