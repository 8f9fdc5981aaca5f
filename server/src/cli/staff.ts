import { Option, type Command } from 'commander';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import type { Audited } from '#audit/audited.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { STAFF_ROLES, type StaffRole } from '#http/staff-roles.ts';
import { Problem } from '#problems/problem.ts';
import { changeRole } from '#staff/change-role.ts';
import { inviteStaff } from '#staff/invite-staff.ts';
import { removeStaff } from '#staff/remove-staff.ts';
import { listStaff } from '#staff/team.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import { Refusal } from '#base/refusal.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findCommerce, findOpenCommerce } from './find-commerce.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
import { formatTable, jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';
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
    .addHelpText(
      'after',
      writeExamples(
        'staff invite --commerce cafe-luna --role owner marta@example.com',
        'staff list --commerce cafe-luna',
      ),
    );
  addPersonCommand(staff, 'invite')
    .addOption(roleOption().makeOptionMandatory())
    .option('--name <name>', 'name of the person')
    .summary('let a person work in the console')
    .description(
      'Let a person work in the console and tell them by e-mail. They sign in with a code that is mailed to the address.',
    )
    .addHelpText(
      'after',
      writeExamples('staff invite --commerce cafe-luna --role cashier --name Eva eva@example.com'),
    )
    .action(runInvite);
  addCommerceChoice(staff.command('list'))
    .option(...jsonOption)
    .summary('list the people of a commerce')
    .description('List the people who work in the console of a commerce.')
    .addHelpText('after', writeExamples('staff list --commerce cafe-luna'))
    .action(runList);
  addPersonCommand(staff, 'role')
    .addOption(roleOption().makeOptionMandatory())
    .summary('change what a person may do')
    .description('Change what a person may do in the console. It takes effect at their next click.')
    .addHelpText('after', writeExamples('staff role --commerce cafe-luna --role manager eva@example.com'))
    .action(runRole);
  addPersonCommand(staff, 'remove')
    .summary('remove a person from the console')
    .description('Remove a person from the console of a commerce. Their next click there is refused.')
    .addHelpText('after', writeExamples('staff remove --commerce cafe-luna eva@example.com'))
    .action(runRemove);
}

function addPersonCommand(staff: Command, name: string): Command {
  return staff
    .command(name)
    .argument('<email>', 'address of the person')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .option(...jsonOption);
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the person may do').choices(STAFF_ROLES);
}

async function runInvite(
  text: string,
  options: Options & { readonly role: StaffRole; readonly name?: string },
  command: Command,
): Promise<void> {
  const email = emailIn(text, command);
  const { role, name = null } = options;
  if (name !== null && !isOneLine(name, 100))
    command.error(`error: --name must be one line of 1 to 100 characters, not ${quote(name)}`);
  await changeTeam(options, (tx, { id }) => inviteStaff(tx, id, { email, role, name }));
  printResult(options, { email, role }, () => `${email} may sign in to the console as ${role}.`);
}

async function runList(
  argument: string | undefined,
  options: CommerceOption & JsonOption,
  command: Command,
): Promise<void> {
  const name = namedCommerce(argument, options, command);
  const staff = await withDatabase(async (database) => {
    const commerce = await findCommerce(database, name);
    return listStaff(database, commerce.id);
  });
  printResult(
    options,
    staff.map(({ email, name, role, invitedAt, lastSeenAt }) => ({
      email,
      name,
      role,
      invited_at: invitedAt,
      last_seen_at: lastSeenAt,
    })),
    () =>
      formatTable(
        ['ROLE', 'NAME', 'E-MAIL', 'LAST SEEN'],
        staff.map(({ email, name, role, lastSeenAt }) => [
          role,
          name,
          email,
          lastSeenAt === null ? 'never' : `${lastSeenAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
        ]),
      ),
  );
}

async function runRole(
  text: string,
  options: Options & { readonly role: StaffRole },
  command: Command,
): Promise<void> {
  const email = emailIn(text, command);
  const { role } = options;
  await changeTeam(options, async (tx, commerce) =>
    changeRole(tx, commerce.id, await findStaffId(tx, commerce, email), role),
  );
  printResult(options, { email, role }, () => `${email} now has the role ${role}.`);
}

async function runRemove(text: string, options: Options, command: Command): Promise<void> {
  const email = emailIn(text, command);
  await changeTeam(options, async (tx, commerce) =>
    removeStaff(tx, commerce.id, await findStaffId(tx, commerce, email)),
  );
  printResult(options, { email, removed: true }, () => `${email} was removed.`);
}

/** Runs a change of the team and its audit row in one transaction. The command refuses everything that the API refuses. */
async function changeTeam(
  { commerce: name }: Options,
  change: (tx: Tx, commerce: Commerce) => Promise<Audited<unknown>>,
): Promise<void> {
  await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, name);
    await auditedTransaction(database, commandLineActor(commerce.id), (tx) => change(tx, commerce)).catch(
      (error: unknown) => {
        throw error instanceof Problem ? new Refusal(`${capitalise(error.message)}.`) : error;
      },
    );
  });
}

async function findStaffId(tx: Tx, { id, slug }: Commerce, email: string): Promise<number> {
  const colleague = (await listStaff(tx, id)).find((one) => one.email === email);
  if (colleague === undefined) throw new Refusal(`${email} does not work at ${slug}.`);
  return colleague.staffId;
}

function emailIn(text: string, command: Command): string {
  const email = normaliseEmail(text);
  if (email === null) command.error(`error: ${quote(text)} is not an e-mail address. ${whyNoEmail(text)}`);
  return email;
}

function capitalise(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
