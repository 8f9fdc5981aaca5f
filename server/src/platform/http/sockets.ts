import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { Caps } from '#base/caps.ts';
import { clientNetworkOf } from './client-network.ts';
import { ownLedger, type SocketCounts } from './ledger.ts';

/** The limits for the sockets of one caller. */
export interface SocketLimits {
  /** Sockets of this process. */
  readonly total: number;
  /** Sockets of one client network. */
  readonly perNetwork: number;
  /** How long an answer may stand still that its caller does not read. Node notices within twice that time. */
  readonly stalledMs: number;
  /** Bytes of answers that this process holds because nobody reads them. */
  readonly unsentBytes: number;
  /** The same for one client network. */
  readonly unsentBytesPerNetwork: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  total: 10_000,
  perNetwork: 1_000,
  stalledMs: 8_000,
  unsentBytes: 128 * 1024 * 1024,
  unsentBytesPerNetwork: 16 * 1024 * 1024,
};

/** Calls that may wait on one socket for the answers before them. Clients that send calls together send a few. */
const MOST_WAITING = 64;
const SWEEP_MS = 1_000;
/** New sockets for which old ones of the same network give way, per second. More than that are reset, which costs less. */
const MOST_CHANGES = 100;

/** The name of all networks together. */
const ALL = '';

/** The sockets of a client network. Proxies are in one of their own, which has no limit but those of the process. */
interface Network {
  readonly name: string;
  readonly isProxy: boolean;
  open: number;
  /** Sockets that gave way to new ones since the last sweep. */
  changes: number;
  unsentBytes: number;
  /** The sockets without a complete call when they were last looked at, the one that has waited longest first. */
  readonly idle: Set<Peer>;
}

interface Peer {
  readonly socket: Socket;
  readonly network: Network;
  isAnswering: boolean;
  /** The call that is being answered, or the last one. It may not have arrived completely. */
  request?: IncomingMessage;
  /** Called when an answer has left. */
  readonly goOn: () => void;
  /** Calls that arrived before the answer to the call before them was sent. */
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Limits what the sockets of a server cost, whoever opens them. If the process or a client network has all the sockets
 * that it may have, an idle one gives way to a new one. The calls of one socket are answered one after the other, and an
 * answer that nobody reads is given up. Call it before the server listens.
 */
export function limitSockets(
  server: Server,
  {
    limits,
    trustProxy,
    caps,
    counts = ownLedger.sockets,
  }: {
    limits: SocketLimits;
    trustProxy: readonly string[];
    caps: Caps;
    counts?: SocketCounts | undefined;
  },
): void {
  const peers = new Map<Socket, Peer>();
  const networks = new Map<string, Network>();
  const isProxy = createProxyCheck(trustProxy);

  // Before Node's own listener, which starts to read from the socket.
  server.prependListener('connection', (socket: Socket) => {
    const network = networkOf(socket);
    if (!makeRoom(network)) {
      socket.resetAndDestroy();
      return;
    }
    const peer: Peer = { socket, network, isAnswering: false, waiting: [], goOn: () => goOn(peer) };
    peers.set(socket, peer);
    networks.set(network.name, network);
    network.open += 1;
    network.idle.add(peer);
    counts.changed(ALL, 1);
    if (!network.isProxy) counts.changed(network.name, 1);
    socket.once('close', () => forget(peer));
  });

  const [serve] = server.listeners('request') as [
    (request: IncomingMessage, response: ServerResponse) => void,
  ];
  server.removeAllListeners('request');
  // Node would carry out all calls of a socket at once, and keep all of their answers.
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const peer = peers.get(request.socket);
    // The socket has been closed in the meantime.
    if (peer === undefined) return;
    if (!peer.isAnswering) answer(peer, request, response);
    else if (peer.waiting.length < MOST_WAITING) {
      peer.waiting.push([request, response]);
      // Reads no more than what has arrived with it, so that waiting calls do not fill the memory.
      peer.socket.pause();
    } else {
      caps.refused('pipelined-calls');
      peer.socket.destroy();
      forget(peer);
    }
  });

  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) {
      caps.refused('unread-answers');
      socket.resetAndDestroy();
    } else if (peers.get(socket)?.isAnswering !== true) socket.destroy();
    // Else the service is still at work on the answer, which has limits of its own.
  });
  counts.onTrim((name) => (name === ALL ? closeAnyIdle() : closeIdle(networks.get(name))));
  const sweep = setInterval(closeHoarders, SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweep));

  function networkOf({ remoteAddress = '' }: Socket): Network {
    const behindProxy = isProxy(remoteAddress);
    const name = behindProxy ? 'proxies' : clientNetworkOf(remoteAddress);
    return (
      networks.get(name) ?? {
        name,
        isProxy: behindProxy,
        open: 0,
        changes: 0,
        unsentBytes: 0,
        idle: new Set(),
      }
    );
  }

  /** Returns false if there is no room for another socket and none that could give way. */
  function makeRoom(network: Network): boolean {
    if (!network.isProxy && isFull(network.name, network.open, limits.perNetwork)) {
      caps.refused('sockets-of-a-network');
      if (++network.changes > MOST_CHANGES) return false;
      if (!closeIdle(network) && !isForOthers(network.name, network.open, limits.perNetwork)) return false;
    }
    if (isFull(ALL, peers.size, limits.total)) {
      caps.refused('sockets');
      if (!closeAnyIdle() && !isForOthers(ALL, peers.size, limits.total)) return false;
    }
    return true;
  }

  /** Whether so many are open over all processes. */
  function isFull(name: string, open: number, limit: number): boolean {
    return limit > 0 && open + counts.others(name) >= limit;
  }

  /** Whether another process may have an idle one to give up. Until it has, there is a tenth more room. */
  function isForOthers(name: string, open: number, limit: number): boolean {
    const others = counts.others(name);
    return others > 0 && open + others < limit * 1.1;
  }

  /** Closes an idle one of the network with the most sockets, or else of any. */
  function closeAnyIdle(): boolean {
    const all = [...networks.values()].toSorted((a, b) => b.open - a.open);
    return all.some(closeIdle);
  }

  /**
   * Closes the socket of a network that has waited longest for a complete call. Returns false if there is none. A caller
   * who sends half a call and then nothing is as idle as one who sends nothing.
   */
  function closeIdle(network: Network | undefined): boolean {
    const idle = network?.idle ?? [];
    for (const peer of idle) {
      peer.network.idle.delete(peer);
      if (peer.isAnswering && peer.request?.complete) continue;
      // Not a reset: the end of its last answer may still be on its way.
      peer.socket.destroy();
      forget(peer);
      return true;
    }
    return false;
  }

  function forget(peer: Peer): void {
    if (!peers.delete(peer.socket)) return;
    peer.waiting.length = 0;
    peer.network.idle.delete(peer);
    peer.network.open -= 1;
    counts.changed(ALL, -1);
    if (!peer.network.isProxy) counts.changed(peer.network.name, -1);
    if (peer.network.open === 0) networks.delete(peer.network.name);
  }

  /** Gives up the largest unread answers until the others are within the limits. */
  function closeHoarders(): void {
    for (const network of networks.values()) network.changes = 0;
    const unread = [...peers.values()].filter(({ socket }) => socket.writableLength > 0);
    for (const { network } of unread) network.unsentBytes = 0;
    let unsentBytes = 0;
    for (const { socket, network } of unread) {
      network.unsentBytes += socket.writableLength;
      unsentBytes += socket.writableLength;
    }
    const largestFirst = unread.toSorted((a, b) => b.socket.writableLength - a.socket.writableLength);
    for (const { socket, network } of largestFirst) {
      const bytes = socket.writableLength;
      const isOver =
        exceeds(unsentBytes, limits.unsentBytes) ||
        (!network.isProxy && exceeds(network.unsentBytes, limits.unsentBytesPerNetwork));
      if (!isOver) continue;
      caps.refused('unread-bytes');
      socket.resetAndDestroy();
      network.unsentBytes -= bytes;
      unsentBytes -= bytes;
    }
  }

  function answer(peer: Peer, request: IncomingMessage, response: ServerResponse): void {
    peer.isAnswering = true;
    peer.request = request;
    response.on('close', peer.goOn);
    serve(request, response);
  }

  function goOn(peer: Peer): void {
    peer.isAnswering = false;
    // Not after `Connection: close`: the caller is told that nothing after it was carried out.
    const isOpen = !peer.socket.writableEnded && peers.has(peer.socket);
    const next = isOpen ? peer.waiting.shift() : undefined;
    // The last one that waited may not have arrived completely.
    if (next !== undefined && peer.waiting.length === 0) peer.socket.resume();
    if (next !== undefined) answer(peer, ...next);
    else if (isOpen) {
      peer.network.idle.delete(peer);
      peer.network.idle.add(peer);
    }
  }
}

function exceeds(figure: number, limit: number): boolean {
  return limit > 0 && figure > limit;
}

/** Returns a check of whether an address belongs to one of these addresses and CIDR blocks. */
function createProxyCheck(blocks: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  return (address) =>
    blocks.length > 0 && address !== '' && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
