import type { Audited } from '#audit/audited.ts';
import type { Tx } from '#db/database.ts';
import { liftBounce } from '#mail/suppressions.ts';
import { lockPerson } from '#members/lock-person.ts';
import { Problem } from '#problems/problem.ts';

/** No mail to the person has bounced, or the person has complained, which nobody can take back. */
export class NotBounced extends Problem {
  constructor() {
    super(400, 'not_bounced', 'mails to this person are not stopped by a bounce: there is nothing to lift');
  }
}

/**
 * Staff let mails go to a person again whose mailbox did not exist, such as after the person has mended it. If it still does
 * not exist, the next mail stops them again. It counts at every commerce of the installation.
 * @throws UnknownMember, PersonErased, NotBounced
 */
export async function liftSuppression(tx: Tx, commerceId: number, memberId: number): Promise<Audited<null>> {
  const { email } = await lockPerson(tx, commerceId, memberId);
  if (email === null || !(await liftBounce(tx, email))) throw new NotBounced();
  return {
    answer: null,
    entry: {
      action: 'member.mail',
      memberId,
      before: { suppressed: 'bounce' },
      after: { suppressed: null },
    },
  };
}
