import {
  ApiError,
  ConnectionError,
  type WhatIf,
  type WhatIfLine,
  type WhatIfProgress,
  type WhatIfRequest,
} from '@loyalty/sdk/admin';
import { fetchPatiently } from '../interruptions.ts';
import { SERVICE } from '../place.ts';

export async function callWhatIf(
  shopId: number,
  request: WhatIfRequest,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: WhatIfProgress) => void },
): Promise<WhatIf> {
  const call = { method: 'POST', path: '/program/what-if' };
  try {
    const response = await fetchPatiently(`${SERVICE}/admin/v1/program/what-if`, {
      method: 'POST',
      headers: { 'x-commerce-id': String(shopId), 'content-type': 'application/json' },
      body: JSON.stringify(request),
      credentials: 'same-origin',
      signal,
    });
    if (!response.ok) {
      const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string };
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      throw new ApiError(response.status, message, [], Number.isFinite(seconds) ? seconds : null, {
        ...call,
        requestId: response.headers.get('x-request-id'),
        code: response.headers.get('x-error-code'),
        hint: null,
      });
    }
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the answer ended early');
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === '') continue;
        const said = JSON.parse(line) as WhatIfLine;
        if (said.type === 'progress') onProgress(said);
        else if (said.type === 'result') return said;
        else throw new Error(said.message);
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof ApiError ? error : new ConnectionError(error, call);
  }
}
