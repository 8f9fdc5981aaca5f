import type { Child } from '../../bench/child.ts';
import { codeOf, shopOf, type Loaded } from '../../bench/load-members.ts';
import { percentile } from '../../bench/statistics.ts';

const CALLERS = 16;

/** The callers' experience in one phase of an upgrade. */
interface Phase {
  readonly tookMs: number[];
  /** How often by what: a status, or no answer at all. */
  readonly failures: Map<string, number>;
}

/**
 * Callers that send one call after the other, half of them purchases, about members from number `first` on. A call is counted under the
 * phase in which it is answered; a call that fails is counted and not repeated.
 */
export function createLoad(loaded: Loaded, first: number) {
  const phases = new Map<string, Phase>();
  let current: Phase = { tookMs: [], failures: new Map() };

  return {
    /** From here on calls count under that name. */
    enter(name: string): void {
      current = { tookMs: [], failures: new Map() };
      phases.set(name, current);
    },

    /** Starts the callers; the function that it gives ends them. */
    start(service: Child): () => Promise<void> {
      const stopping = new AbortController();
      const callers = Array.from({ length: CALLERS }, () => caller(service, stopping.signal));
      return async () => {
        stopping.abort();
        await Promise.all(callers);
      };
    },

    report: () =>
      Array.from(phases, ([phase, { tookMs, failures }]) => ({
        phase,
        calls: tookMs.length,
        failed: Array.from(failures, ([why, times]) => `${times} × ${why}`).join(', '),
        'p50 ms': Math.round(percentile(tookMs, 0.5)),
        'p99 ms': Math.round(percentile(tookMs, 0.99)),
        'longest ms': Math.round(Math.max(...tookMs)),
      })),
  };

  async function caller({ port }: Child, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const began = performance.now();
      const status = await call(port).catch(() => 'no answer');
      current.tookMs.push(performance.now() - began);
      if (status !== 'ok') current.failures.set(status, (current.failures.get(status) ?? 0) + 1);
    }
  }

  async function call(port: number): Promise<string> {
    const member = first + Math.floor(Math.random() * (loaded.members - first + 1));
    const headers = { authorization: `Bearer ${shopOf(loaded, member).key}` };
    const base = `http://127.0.0.1:${port}/v1`;
    const kind = Math.random();
    const response =
      kind < 0.5
        ? await fetch(`${base}/consumptions/client-code`, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify({
              client_code: codeOf(member),
              amount: 1 + Math.floor(Math.random() * 900),
            }),
          })
        : kind < 0.9
          ? await fetch(`${base}/clients/${codeOf(member)}`, { headers })
          : await fetch(`${base}/clients/list?limit=20&offset=${Math.floor(Math.random() * 500)}`, {
              headers,
            });
    await response.arrayBuffer();
    return response.ok ? 'ok' : String(response.status);
  }
}
