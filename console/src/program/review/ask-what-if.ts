import type {
  AdminClient,
  WhatIf,
  WhatIfFailure,
  WhatIfProgress,
  WhatIfRequest,
  WhatIfWaiting,
} from '@loyalty/sdk/admin';

/** The service began and could not finish. */
export class WhatIfFailed extends Error {
  readonly reason: WhatIfFailure['reason'];

  constructor(reason: WhatIfFailure['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Asks what a program would have done, and waits for the answer. */
export async function askWhatIf(
  api: AdminClient,
  question: WhatIfRequest,
  {
    signal,
    onProgress,
  }: { signal: AbortSignal; onProgress?: (progress: WhatIfProgress | WhatIfWaiting) => void },
): Promise<WhatIf> {
  for await (const line of api.whatIf(question, { signal })) {
    if (line.type === 'result') return line;
    if (line.type === 'failure') throw new WhatIfFailed(line.reason, line.message);
    onProgress?.(line);
  }
  throw new Error('the what-if ended without a result');
}
