import type { AdminClient, WhatIf, WhatIfProgress, WhatIfRequest } from '@loyalty/sdk/admin';

/** Asks what a program would have done, and waits for the answer. */
export async function askWhatIf(
  api: AdminClient,
  question: WhatIfRequest,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: (progress: WhatIfProgress) => void },
): Promise<WhatIf> {
  for await (const line of api.whatIf(question, { signal })) {
    if (line.type === 'result') return line;
    if (line.type === 'failure') throw new Error(line.message);
    onProgress?.(line);
  }
  throw new Error('the what-if ended without a result');
}
