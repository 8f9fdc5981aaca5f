import { Agent, request } from 'node:http';

/** An answer of the service. The status is 0 if none came. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string;
}

/** Calls the service from any loopback address, which the service takes for a network. */
export interface Caller {
  call(from: string, call: Call): Promise<Reply>;
  close(): void;
}

export interface CallerOptions {
  /** Each address keeps its connections; otherwise each call opens one of its own. */
  readonly keepAlive?: boolean;
  /** How long a call may take before it counts as not answered. */
  readonly patienceMs?: number;
}

export function openCaller(
  port: number,
  { keepAlive = true, patienceMs = 15_000 }: CallerOptions = {},
): Caller {
  const agent = new Agent({ keepAlive, maxSockets: Infinity, maxFreeSockets: 1_024 });
  return {
    call: (from, call) => send(agent, port, from, call, patienceMs),
    close: () => agent.destroy(),
  };
}

function send(agent: Agent, port: number, from: string, call: Call, patienceMs: number): Promise<Reply> {
  const { method = 'GET', path, headers = {}, body, raw } = call;
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, headers: {}, text: '' });
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        localAddress: from,
        method,
        path,
        headers: {
          ...(content !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(content),
          }),
          ...headers,
        },
        signal: AbortSignal.timeout(patienceMs),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', nothing);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', nothing);
    sent.end(content);
  });
}

export function bearer(token: string, commerceId?: number): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...(commerceId !== undefined && at(commerceId)) };
}

export function at(commerceId: number): Record<string, string> {
  return { 'x-commerce-id': String(commerceId) };
}
