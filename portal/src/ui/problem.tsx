import { ApiError, ConnectionError } from '@loyalty/sdk';
import { Icon } from './icon.tsx';
import type { Texts } from '../texts/en.ts';
import type { Format } from '../format.ts';

/** Returns what went wrong, as a sentence for the member. */
export function describeError(error: unknown, t: Texts, f: Pick<Format, 'plural' | 'number'>): string {
  if (error instanceof ConnectionError) return navigator.onLine ? t.noAnswer : t.offline;
  if (error instanceof ApiError && error.status === 429)
    return t.tooMany(error.retryAfterSeconds ?? 60, f as Format);
  if (error instanceof ApiError && error.status === 404) return t.closed;
  if (error instanceof ApiError && error.status === 503) return t.noAnswer;
  return t.broken;
}

/** True if the service did not answer, or only that it cannot. What was asked may be done, and asking again may help. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
}

/** Takes the place of what the device has not kept. It goes away by itself. */
export function NeedsConnection({ sentence }: { sentence: string }) {
  return (
    <p class="card hint" role="status">
      <span class="badge ending">
        <Icon name="offline" />
      </span>
      <span class="row-words">{sentence}</span>
    </p>
  );
}

/** Shows what went wrong and a button to try again. */
export function Problem(props: { sentence: string; retry: string; busy?: boolean; onRetry: () => void }) {
  return (
    <div class="problem" role="alert">
      <p class="icon-line">
        <Icon name="alert" />
        {props.sentence}
      </p>
      <button
        type="button"
        class="button"
        aria-disabled={props.busy}
        onClick={() => props.busy || props.onRetry()}
      >
        {props.retry}
      </button>
    </div>
  );
}
