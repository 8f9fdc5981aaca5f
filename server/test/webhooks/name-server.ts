/** A name server for the tests, which answers each question as the test says. */
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { once } from 'node:events';
import { onEnd } from '#test/database.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;

export interface NameServer {
  /** With its port. */
  readonly address: string;
  /** The addresses of a name, by how often it was asked before. Both kinds of address share a list. */
  answers: (name: string, asked: number) => readonly string[];
}

export async function openNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    const key = `${name}/${type}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const found = server
      .answers(name, count)
      .filter((one) => (type === TYPE_A && isIPv4(one)) || (type === TYPE_AAAA && !isIPv4(one)));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(
      Buffer.concat([head, question.subarray(12, end), ...found.map((one) => recordOf(one, type))]),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onEnd(async () => void socket.close());
  const server: NameServer = { address: `127.0.0.1:${socket.address().port}`, answers: () => [] };
  return server;
}

function readQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(address: string, type: number): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOfIPv6(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

function bytesOfIPv6(address: string): Buffer {
  const [before = '', after] = address.split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':')).map((part) => parseInt(part, 16));
  const [left, right] = [parts(before), parts(after ?? '')];
  const all =
    after === undefined
      ? left
      : [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((part) => [part >> 8, part & 255]));
}
