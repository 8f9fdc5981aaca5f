import { Problem } from '#problems/problem.ts';

/** Nobody confirmed the purchase in time, so it was taken back. That is final. */
export class Unconfirmed extends Problem {
  constructor() {
    super(
      400,
      'unconfirmed',
      'the consumption was not confirmed in time and has been cancelled: record a new one',
    );
  }
}
