import { InvalidRequest } from '#problems/invalid-request.ts';

/** 422: the range ends before it begins. It would look like one in which nothing happened. */
class BackwardRange extends InvalidRequest {
  constructor() {
    super(
      [{ loc: ['query', 'to'], msg: 'Value error, to is before from', type: 'value_error' }],
      'invalid',
      '"to" in the query is before "from": swap them, or leave one out.',
    );
  }
}

/** @throws BackwardRange if both instants are given and `to` is before `from` */
export function refuseBackwardRange(from: Date | undefined, to: Date | undefined): void {
  if (from !== undefined && to !== undefined && to < from) throw new BackwardRange();
}
