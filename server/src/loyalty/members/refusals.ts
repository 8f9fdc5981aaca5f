import { NotFound, Problem } from '#problems/problem.ts';
import { countDigits } from '#text/count-digits.ts';

/** Nobody at this commerce has this code or address. The message about a code depends on nothing but its digits. */
export class UnknownMember extends NotFound {
  constructor(code?: number) {
    const isVoucher = code !== undefined && countDigits(code) === 14;
    super('the client does not exist', isVoucher ? 'not_a_client_code' : 'not_found', {
      next: isVoucher
        ? '14 digits are the code of a bought benefit; send the 9 digits of the member'
        : 'check the 9 digits or the address, and that the key is of the shop where the member joined',
    });
  }
}

/** The person never joined this commerce's program. */
export class NeverJoined extends Problem {
  constructor() {
    super(400, 'not_a_member', 'you have not joined this program', {
      hint: 'Join first with POST /v1/me/subscription.',
    });
  }
}

/** The member has left the program or was blocked by staff. */
export class NotEligible extends Problem {
  constructor() {
    super(403, 'not_eligible', 'the client exists but cannot have consumptions', {
      next: 'do not retry, the member has left the program or was blocked by staff',
    });
  }
}

/** Staff have erased the person. All that is left is a row of the books without a name. */
export class PersonErased extends Problem {
  constructor() {
    super(400, 'erased', 'this person was erased, which is final: nothing can be changed');
  }
}
