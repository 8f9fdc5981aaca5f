/** A mail server that fails at a chosen step of some sessions: it refuses, cuts the connection or says nothing more. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export const STEPS = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'end'] as const;
export const WAYS = ['refuses for now', 'refuses for good', 'cuts', 'is silent'] as const;

export interface Failure {
  readonly step: (typeof STEPS)[number];
  readonly way: (typeof WAYS)[number];
}

export interface FailingSmtp {
  readonly url: string;
  /** Message-IDs of the mails that were accepted, by recipient, each as often as it was accepted. */
  readonly accepted: ReadonlyMap<string, readonly string[]>;
  /** Recipients that were refused for good. */
  readonly refused: ReadonlySet<string>;
  /** How often a mail was accepted and the answer that says so never sent. */
  unanswered(): number;
  close(): Promise<void>;
}

/** `choose` says for each mail how it fails, or null to accept it. */
export async function startFailingSmtp(choose: () => Failure | null): Promise<FailingSmtp> {
  const accepted = new Map<string, string[]>();
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  let unanswered = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    refused,
    unanswered: () => unanswered,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };

  function talk(socket: Socket): void {
    let failure = choose();
    let recipient = '';
    let mail: string[] | null = null;
    let isSilent = false;
    if (!fails('greeting')) socket.write('220 mail.example\r\n');
    const lines = createInterface({ input: socket });
    lines.on('error', () => {});
    lines.on('line', (line) => {
      if (isSilent) return;
      if (mail !== null) readMail(line);
      else obey(line);
    });

    function obey(line: string): void {
      const command = line.slice(0, 4).toUpperCase();
      if (command === 'MAIL') failure = choose();
      if (command === 'RCPT') recipient = /<(.*)>/.exec(line)![1]!;
      const step = STEPS.find((each) => each === command);
      if (step !== undefined && fails(step)) return;
      if (command === 'DATA') mail = [];
      socket.write({ EHLO: '250 mail.example', DATA: '354 go on', QUIT: '221 bye' }[command] ?? '250 fine');
      socket.write('\r\n');
      if (command === 'QUIT') socket.end();
    }

    function readMail(line: string): void {
      if (line !== '.') return void mail!.push(line);
      const id = /^message-id: (.*)$/im.exec(mail!.join('\n'))![1]!;
      mail = null;
      // A connection that is lost behind the last line leaves open whether the mail was taken. Here it was.
      const isTaken = failure?.step !== 'end' || !failure.way.startsWith('refuses');
      if (isTaken) accepted.set(recipient, [...(accepted.get(recipient) ?? []), id]);
      if (fails('end')) {
        if (isTaken) unanswered += 1;
        return;
      }
      socket.write('250 taken\r\n');
    }

    function fails(step: Failure['step']): boolean {
      if (failure?.step !== step) return false;
      if (failure.way === 'cuts') socket.resetAndDestroy();
      else if (failure.way === 'is silent') isSilent = true;
      else {
        if (failure.way === 'refuses for good' && step === 'RCPT') refused.add(recipient);
        socket.write(`${failure.way === 'refuses for good' ? 554 : 451} no\r\n`);
      }
      return true;
    }
  }
}
