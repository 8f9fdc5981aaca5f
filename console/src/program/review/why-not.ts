import { ApiError } from '@loyalty/sdk/admin';
import type { Texts } from '../../texts/texts.ts';
import { sayProblem } from '../../ui/states.tsx';
import { WhatIfFailed } from './ask-what-if.ts';
import type { useReviewTexts } from './texts.ts';

/** Says in a sentence why there is no what-if. */
export function sayWhyNot(error: unknown, t: ReturnType<typeof useReviewTexts>, shared: Texts): string {
  if (isBusy(error)) return t.busyText;
  return isLate(error) ? t.lateText : sayProblem(error, shared);
}

/** The service computes as many as it may. */
export const isBusy = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 429 || error.status === 503);

/** It took longer than the service allows. */
export const isLate = (error: unknown): boolean =>
  error instanceof WhatIfFailed && error.reason === 'took_too_long';
