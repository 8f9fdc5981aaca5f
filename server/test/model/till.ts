/** How the purchases of one step reach the service: one after the other, or all at once. */
import { setImmediate as aTurn } from 'node:timers/promises';
import { Problem } from '#problems/problem.ts';
import type { PurchaseRecorder } from '#purchases/purchase-recorder.ts';
import type { PurchaseCall } from '#purchases/record-purchases.ts';

export type Answer =
  | {
      readonly recorded: true;
      readonly purchaseId: number;
      readonly pointsEarned: number;
      readonly balance: number | null;
      readonly replayed: boolean;
    }
  | { readonly recorded: false; readonly why: string };

/** Makes one call; a refusal is an answer too. */
export type Buy = (call: PurchaseCall) => Promise<Answer>;

export interface Sent {
  readonly call: PurchaseCall;
  /** Sent a turn later than the one before, so that it may find that one under way. */
  readonly late: boolean;
}

/** Returns the answers in the order of the calls. */
export type Till = (group: readonly Sent[]) => Promise<Answer[]>;

export function oneByOne(buy: Buy): Till {
  return async (group) => {
    const answers: Answer[] = [];
    for (const { call } of group) answers.push(await buy(call));
    return answers;
  };
}

export function atOnce(buy: Buy): Till {
  return async (group) => {
    const answers: Promise<Answer>[] = [];
    for (const { call, late } of group) {
      if (late) await aTurn();
      answers.push(buy(call));
    }
    return Promise.all(answers);
  };
}

/** By group commit, as the service's routes record them. */
export function throughRecorder(recorder: PurchaseRecorder): Buy {
  return (call) =>
    recorder.record(call).catch((error: unknown) => {
      const why = error instanceof Problem ? error.constructor.name : String(error);
      return { recorded: false, why };
    });
}
