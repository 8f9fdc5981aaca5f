import { answeredByAnother, refusalOf, unanswered, type Connection } from './call.ts';

/** Options for a stream. A stream may take as long as it takes. */
export interface StreamOptions {
  /** Aborts the stream, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Yields the objects of a stream that has one on each line, as they arrive. It is not repeated: after an error, start again.
 * @param body is sent by a POST; without it, the call is a GET
 * @throws ApiError if the service refuses the call, ConnectionError if the stream ends too early
 */
export async function* readLines<T>(
  { baseUrl, fetch }: Connection,
  path: string,
  headers: Record<string, string>,
  { signal = new AbortController().signal }: StreamOptions = {},
  body?: object,
): AsyncGenerator<T, void> {
  const method = body === undefined ? 'GET' : 'POST';
  const call = { method, path, repeatable: false } as const;
  try {
    const sent =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(baseUrl + path, { method, ...sent, signal });
    if (!response.ok) throw refusalOf(baseUrl, call, response, await response.text());
    if (!/json/.test(response.headers.get('content-type') ?? '')) throw answeredByAnother(baseUrl, call);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of chunksOf(response)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield JSON.parse(line) as T;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof TypeError || error instanceof SyntaxError) throw unanswered(baseUrl, error, call);
    throw error;
  }
}

/** Not every browser can iterate over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = body!.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // Stops the service if the caller has seen enough.
    await reader.cancel().catch(() => {});
  }
}
