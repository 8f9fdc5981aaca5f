import type { MedusaResponse } from '@medusajs/framework/http';
import { ApiError, ConnectionError } from '@loyalty/sdk';
import { CodeRefused } from '@loyalty/shop-core';

/**
 * Answers with what `work` returns. Refusals that a customer can do something about keep their word, in `type`; if the service does not answer, it
 * is a 503, and the page goes on without points.
 */
export async function answer(response: MedusaResponse, work: () => Promise<object>): Promise<void> {
  try {
    response.json(await work());
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    response.status(refusal.status).json({ type: refusal.type, message: refusal.message });
  }
}

function refusalOf(error: unknown): { status: number; type: string; message: string } | null {
  if (error instanceof CodeRefused) return { status: 400, type: error.word, message: error.message };
  if (error instanceof ConnectionError)
    return { status: 503, type: 'unavailable', message: 'the loyalty service does not answer' };
  if (!(error instanceof ApiError)) return null;
  const { status, code, message } = error;
  if (status === 429) return { status, type: 'rate_limited', message };
  // Keys and scopes are the shop's own affair, and nothing that its customers read.
  if (status === 401 || status === 403 || status >= 500)
    return { status: 503, type: 'unavailable', message: 'the loyalty service could not be used' };
  return { status, type: code ?? 'refused', message };
}
