import { Option, type Command } from 'commander';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { STAFF_ROLES, type StaffRole } from '#http/staff-role.ts';
import { inviteStaff } from '#staff/invite-staff.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly commerce: string;
}

export function addStaff(program: Command): void {
  const staff = program
    .command('staff')
    .summary('manage the people who work in the console')
    .description(
      "Invite, list and remove a commerce's own people, and change what they may do in the console.",
    )
    .addHelpText('after', writeExamples('staff invite --commerce cafe-luna --role owner marta@example.com'));
  staff
    .command('invite')
    .argument('<email>', 'address of the person')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .addOption(roleOption().makeOptionMandatory())
    .option('--name <name>', 'name of the person')
    .option(...jsonOption)
    .summary('let a person work in the console')
    .description(
      'Let a person work in the console. The person signs in with a code that is mailed to the address.',
    )
    .addHelpText(
      'after',
      writeExamples('staff invite --commerce cafe-luna --role cashier --name Eva eva@example.com'),
    )
    .action(runInvite);
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the person may do').choices(STAFF_ROLES);
}

async function runInvite(
  text: string,
  options: Options & { readonly role: StaffRole; readonly name?: string },
  command: Command,
): Promise<void> {
  const email = normaliseEmail(text);
  if (email === null) command.error(`error: ${quote(text)} is not an e-mail address: ${whyNoEmail(text)}`);
  const { role, name } = options;
  if (name !== undefined && !isOneLine(name, 100))
    command.error(`error: --name must be one line of 1 to 100 characters, not ${quote(name)}`);
  const invited = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    return auditedTransaction(database, commandLineActor(commerce.id), (tx) =>
      inviteStaff(tx, commerce.id, { email, role, ...(name !== undefined && { name }) }),
    );
  });
  printResult(
    options,
    { staff_id: invited.staffId, email, role },
    () => `${email} may sign in to the console as ${role}.`,
  );
}
