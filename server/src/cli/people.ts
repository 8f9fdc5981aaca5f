import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { ProfileEdit } from '#members/edit-profile.ts';
import type { Member } from '#members/member.ts';
import { isBirthDate, isPhone, isUsername } from '#members/profile.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { editPerson } from '#member-care/edit-person.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { noteInAudit } from '#audit/note-in-audit.ts';
import { readPersonFacts, writePersonData } from '#member-care/person-data.ts';
import { resendInvitation } from '#member-care/resend-invitation.ts';
import { unblockPerson } from '#member-care/unblock-person.ts';
import { isText } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import {
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { commandLineActor } from './command-line-actor.ts';
import { actOnPerson, withPerson } from './with-person.ts';

interface Options extends JsonOption {
  readonly commerce: string;
}

/** Adds the commands about one person to `loyalty members`. */
export function addPeople(members: Command): void {
  addPerson(members, 'show')
    .summary('show a person')
    .description('Show who a person is at a commerce: profile, balance and level.')
    .addHelpText('after', writeExamples('members show --commerce cafe-luna 482915374'))
    .action(runShow);
  addPerson(members, 'edit')
    .summary("change a person's name, telephone number or birth date")
    .description(
      'Change what a person told the commerce. A birth date that is entered on the birthday counts from the next year on.',
    )
    .option('--name <name>', 'name, one line of up to 100 characters')
    .option('--no-name', 'remove the name')
    .option('--phone <phone>', 'telephone number, such as +5491122334455')
    .option('--no-phone', 'remove the telephone number')
    .option('--birth-date <day>', 'birth date, such as 1990-12-31')
    .option('--no-birth-date', 'remove the birth date')
    .addHelpText(
      'after',
      writeExamples(
        'members edit --commerce cafe-luna 482915374 --name "Eva Roca"',
        'members edit --commerce cafe-luna eva@example.com --no-phone',
      ),
    )
    .action(runEdit);
  addPerson(members, 'block')
    .summary('block a person')
    .description(
      'Block a person, who then earns, buys and is given nothing until `members unblock`. Points stay, and codes can still be used.',
    )
    .requiredOption('--reason <text>', 'why, for the staff')
    .addHelpText(
      'after',
      writeExamples('members block --commerce cafe-luna 482915374 --reason "Shared card"'),
    )
    .action(runBlock);
  addPerson(members, 'unblock')
    .summary('unblock a person')
    .description('Let a blocked person take part again.')
    .option('--reason <text>', 'why, for the staff')
    .addHelpText('after', writeExamples('members unblock --commerce cafe-luna 482915374'))
    .action(runUnblock);
  addPerson(members, 'invite')
    .summary('send the invitation once more')
    .description(
      'Send the invitation once more to a person whose points wait: at most once a day, within the daily limit of the commerce.',
    )
    .addHelpText('after', writeExamples('members invite --commerce cafe-luna eva@example.com'))
    .action(runInvite);
  addPerson(members, 'data')
    .summary('write everything that is stored about a person')
    .description(
      'Write everything that the commerce stores about a person to stdout, as one JSON document that can be handed over.',
    )
    .addHelpText('after', writeExamples('members data --commerce cafe-luna 482915374 > person.json'))
    .action(runData);
  addPerson(members, 'erase')
    .summary('erase a person, for good')
    .description(
      'Erase a person at a commerce, for good. Name, address, telephone number and everything else that is personal are deleted, the points end and unused codes are void. The books keep an anonymous row. Asks for the code of the member first.',
    )
    .requiredOption('--reason <text>', 'why; it is kept, so it must not name the person')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      writeExamples('members erase --commerce cafe-luna 482915374 --reason "Asked for it by letter"'),
    )
    .action(runErase);
}

function addPerson(members: Command, name: string): Command {
  const command = members
    .command(name)
    .argument('<member>', "the member's 9-digit code, or an e-mail address")
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce');
  return name === 'data'
    ? command.option('--json', 'changes nothing: the output is JSON')
    : command.option(...jsonOption);
}

async function runShow(text: string, options: Options): Promise<void> {
  const facts = await withPerson(text, options, ({ database, commerce, member }) =>
    readPersonFacts(database, commerce.id, member.id),
  );
  const { profile, figures, level, balances } = facts;
  printResult(options, { ...profile, ...figures, level, balances }, () =>
    Object.entries({ ...profile, level: level?.['name'], ...figures })
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(30)}${String(value)}`)
      .join('\n'),
  );
}

type EditOptions = Options & {
  readonly name?: string | false;
  readonly phone?: string | false;
  readonly birthDate?: string | false;
};

async function runEdit(text: string, options: EditOptions, command: Command): Promise<void> {
  const { name, phone, birthDate } = options;
  if (name === undefined && phone === undefined && birthDate === undefined)
    command.error('error: say what to change: --name, --phone or --birth-date');
  if (typeof name === 'string' && !isUsername(name))
    command.error(`error: --name must be one line of 1 to 100 characters, not ${quote(name)}`);
  if (typeof phone === 'string' && !isPhone(phone))
    command.error(`error: --phone must be like +5491122334455, not ${quote(phone)}`);
  const edit: ProfileEdit = {
    ...(name !== undefined && { username: name === false ? null : name }),
    ...(phone !== undefined && { phone: phone === false ? null : phone }),
    ...(birthDate !== undefined && { birthDate: birthDate === false ? null : birthDate }),
  };
  const { changed } = await withPerson(text, options, (found) => {
    if (typeof birthDate === 'string' && !isBirthDate(birthDate, found.commerce.today))
      command.error(`error: --birth-date must be a day from 1900-01-01 to today, not ${quote(birthDate)}`);
    return actOnPerson(found, (tx) => editPerson(tx, found.commerce.id, found.member.id, edit));
  });
  const names = { username: 'name', phone: 'telephone number', birthDate: 'birth date' };
  const words = changed.map((field) => names[field]);
  printResult(options, { changed: words }, () =>
    words.length === 0 ? 'Nothing has changed.' : `Changed: ${words.join(', ')}.`,
  );
}

async function runBlock(
  text: string,
  options: Options & { readonly reason: string },
  command: Command,
): Promise<void> {
  const reason = readReason(options.reason, command);
  const { blockedAt } = await withPerson(text, options, (found) =>
    actOnPerson(found, (tx) => blockPerson(tx, found.commerce.id, found.member.id, reason)),
  );
  printResult(options, { blocked_at: blockedAt }, () => 'Blocked.');
}

async function runUnblock(
  text: string,
  options: Options & { readonly reason?: string },
  command: Command,
): Promise<void> {
  const reason = options.reason === undefined ? null : readReason(options.reason, command);
  await withPerson(text, options, (found) =>
    actOnPerson(found, (tx) => unblockPerson(tx, found.commerce.id, found.member.id, reason)),
  );
  printResult(options, { blocked_at: null }, () => 'Unblocked.');
}

async function runInvite(text: string, options: Options): Promise<void> {
  const email = await withPerson(text, options, async (found) => {
    const limit = { perDay: found.config.invitationsPerDay, onHeldBack: () => {} };
    await actOnPerson(found, (tx) => resendInvitation(tx, found.commerce.id, found.member.id, limit));
    return found.member.email;
  });
  printResult(options, { invited: email }, () => 'The invitation is on its way.');
}

async function runData(text: string, options: Options): Promise<void> {
  await withPerson(text, options, async ({ database, commerce, member }) => {
    await noteInAudit(database, commandLineActor(commerce.id), {
      action: 'member.data',
      memberId: member.id,
    });
    for await (const piece of writePersonData(database, commerce.id, member.id)) process.stdout.write(piece);
  });
}

async function runErase(
  text: string,
  options: Options & { readonly reason: string; readonly yes?: boolean },
  command: Command,
): Promise<void> {
  const reason = readReason(options.reason, command);
  const { points, codes } = await withPerson(text, options, async (found) => {
    const { code, email } = found.member;
    const wanted = String(code ?? email);
    const confirm = options.yes === true ? wanted : await askForConfirmation(found.member, command);
    return actOnPerson(found, (tx) =>
      erasePerson(tx, found.commerce.id, found.member.id, { confirm, reason }),
    );
  });
  printResult(
    options,
    { erased: true, points, codes },
    () =>
      `Erased. ${writeCount(points, 'point')} ended, and ${writeCount(codes, 'code')} can no longer be used.`,
  );
}

async function askForConfirmation({ code }: Member, command: Command): Promise<string> {
  if (!process.stdin.isTTY)
    command.error('error: erasing is final: add --yes, or run the command on a terminal to confirm it');
  printMessage('Erasing a person is final and cannot be undone.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = code === null ? 'e-mail address of this person' : '9 digits of this member';
    return await lines.question(`Type the ${what} to confirm: `);
  } finally {
    lines.close();
  }
}

function readReason(text: string, command: Command): string {
  if (text.trim() === '' || !isText(text, 500))
    command.error('error: --reason must be a text of up to 500 characters');
  return text.trim();
}
