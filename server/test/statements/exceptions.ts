/**
 * Statements that leave the commerce of a table out, by their name or else the file that sends them, each with the reason. A cluster would
 * need another form of those that calls of a shop send; the others may ask every machine.
 */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  // Slower on one server. Beside a list of commerces, PostgreSQL merges the few keys with all keys of the commerce.
  'read-keys': 'looks up each key, and not all keys of the commerce',
  'keep-results': 'looks up each key, and not all keys of the commerce',
  // Of a person, who may be of several commerces.
  'find-other-uses': 'an address is looked for at all other commerces before its account is erased',
  'find-staff-person': 'who signs in names no commerce',
  'find-staff-sessions': 'a session is a person’s, and one of no commerce counts if the person has any role',
  'read-offices': 'a person chooses among the commerces where they have a role',
  'end-sessions-without-role': 'a person keeps the sessions while any commerce gives them a role',
  'backoffice/set-up/set-up.ts': 'an address that has a role anywhere proves itself again',
  'backoffice/set-up/open-shop.ts': 'the commerce is the one of the set-up',
  'count-mails-of-mailbox': 'a mailbox gets a limited number of mails from all commerces together',
  // Finds the commerces that have something to do, and locks nothing.
  'find-commerces-with-unclaimed': 'finds the commerces that have something to do',
  'find-unchecked-commerces': 'finds the commerces that have something to do',
  'find-commerces-unchecked-for-a-day': 'finds the commerces that have something to do',
  'find-waiting-clock-moves': 'finds the commerces that have something to do',
  'find-wallet-shops': 'finds the commerces that have something to do',
  'find-old-wallet-passes': 'finds the commerces that have something to do',
  'find-due-wallet-passes': 'finds the commerces that have something to do',
  'find-due-webhooks': 'finds the endpoints of all commerces that have something to send',
  'read-webhook-secrets': 'a key of the installation encrypts the secrets of all commerces',
  'are-there-webhooks': 'finds whether any commerce has an endpoint',
  'insight/reports/follow-ledger.ts': 'finds the commerces that have something to do',
  'insight/seals/seal-ledger.ts': 'finds the commerces that have something to do',
  'operations/jobs/birthdays.ts': 'finds the commerces that have something to do',
  'operations/jobs/expire-points.ts': 'finds the commerces that have something to do',
  'operations/jobs/pending-points.ts': 'finds the commerces that have something to do',
  'operations/jobs/expire-tiers.ts': 'finds the commerces that have something to do',
  'operations/jobs/expiring-codes.ts': 'finds the commerces that have something to do',
  'operations/jobs/reminders.ts': 'finds the commerces that have something to do',
  'platform/db/delete-old-rows.ts': 'one round of a job takes what is old at all commerces',
  'read-failing': 'one round of a job reads the failures of all commerces',
  'take-unlogged-withheld': 'one round of a job logs what was withheld at all commerces',
  // Of the installation.
  'changed-wallet-passes': 'a phone asks for its passes of all commerces at once',
  'watch-jobs': 'what monitoring shows is of all commerces',
  'watch-webhooks': 'what monitoring shows is of all commerces',
  'watch-ledger': 'what monitoring shows is of all commerces',
  'insight/seals/publish-heads.ts': 'the heads of all commerces are published together',
  'operations/archive/import-suppressions.ts':
    'a mailbox that other commerces write to keeps getting their mails',
  'operations/demo/find-or-make-demo.ts': 'looks for the commerce of the demo by its slug',
  'platform/mail/dev-mailbox.ts': 'shows a developer the mails of all commerces',
  'take-mails': 'one sender takes the mails of all commerces',
  'find-missing-pictures': 'a program file names its commerce by the slug',
  'loyalty/commerces/list-commerces.ts': 'lists all commerces for the operator',
  'loyalty/apply/apply-program.ts': 'a program file names its commerce by the slug',
  'insight/books/verify-ledger.ts': 'divides the check of all books into parts',
  'insight/seals/read-seal.ts': 'the heads of all commerces are published together',
  'operations/archive/check-commerce.ts': 'an imported history must not be that of any other commerce',
  'operations/partition/copy-movements.ts':
    'copies the movements of all commerces, on one server, as a cluster divides them itself',
  'platform/db/migrate.ts': 'a migration changes the rows of all commerces',
  // The command line and the jobs, of many commerces one after the other.
  'insight/books/verify-part.ts': 'checks many small commerces with one plan, one after the other',
  'insight/seals/check-seals.ts': 'checks many small commerces with one plan, one after the other',
};
