import type { FastifyReply } from 'fastify';

/** The header of an answer that was given before. */
export const replayedHeader = {
  'Idempotency-Replayed': '`true` if the call had been made before, with the same `Idempotency-Key`.',
};

/** Says that an answer is that of an earlier call. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotency-replayed', 'true');
}
