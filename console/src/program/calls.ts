import {
  ApiError,
  ConnectionError,
  type ProgramCheck,
  type ProgramInForce,
  type PublishedProgram,
} from '@loyalty/sdk/admin';
import type { Program } from '@loyalty/sdk/admin';
import { fetchPatiently } from '../interruptions.ts';
import { SERVICE } from '../place.ts';

interface Options {
  readonly signal?: AbortSignal;
}

/** The calls of Program, until the SDK has them. */
export function programCalls(shopId: number) {
  return {
    getProgramModel: (options?: Options) => send<ProgramInForce>('GET', 'model', undefined, options),
    checkProgram: (draft: { program: Program; base_version: number }, options?: Options) =>
      send<ProgramCheck>('POST', 'check', draft, options),
    publishProgram: (
      draft: { program: Program; base_version: number; note?: string | null },
      options?: Options,
    ) => send<PublishedProgram>('POST', 'publish', draft, options),
  };

  async function send<T>(method: string, path: string, body?: object, { signal }: Options = {}): Promise<T> {
    const call = { method, path: `/program/${path}` };
    let response: Response;
    try {
      response = await fetchPatiently(`${SERVICE}/admin/v1/program/${path}`, {
        method,
        headers: {
          accept: 'application/json',
          'x-commerce-id': String(shopId),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        credentials: 'same-origin',
        signal: signal ?? AbortSignal.timeout(20_000),
      });
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw new ConnectionError(error, call);
    }
    const answer = (await response.json().catch(() => ({}))) as { message?: string };
    if (!response.ok)
      throw new ApiError(response.status, answer.message ?? 'the call was refused', [], null, {
        ...call,
        requestId: response.headers.get('x-request-id'),
        code: response.headers.get('x-error-code'),
        hint: null,
      });
    return answer as T;
  }
}
