import { Problem } from '#problems/problem.ts';

/** Nobody at this commerce has this code or address. */
export class UnknownMember extends Problem {
  constructor() {
    super(404, 'the client does not exist');
  }
}

/** The person never joined this commerce's program. */
export class NeverJoined extends Problem {
  constructor() {
    super(400, 'you have not joined this program');
  }
}

/** The member has left the program or was blocked by staff. */
export class NotEligible extends Problem {
  constructor() {
    super(403, 'the client exists but cannot have consumptions');
  }
}
