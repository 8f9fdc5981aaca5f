import type { Command } from 'commander';

/** The commerce of a command, as `addCommerceChoice` lets people name it. */
export interface CommerceOption {
  readonly commerce?: string;
}

/** Lets people name the commerce of a command as an option or as its only argument. */
export function addCommerceChoice(command: Command): Command {
  return command
    .argument('[commerce]', 'the same as --commerce')
    .option('--commerce <commerce>', 'slug or id of the commerce');
}

/** Returns the commerce that was named. Ends the command if none was named, or two. */
export function namedCommerce(
  argument: string | undefined,
  { commerce: option }: CommerceOption,
  command: Command,
): string {
  if (argument !== undefined && option !== undefined && argument !== option)
    command.error(`error: ${argument} and ${option} are two commerces: name one`);
  const name = option ?? argument;
  if (name === undefined)
    command.error(
      `error: name the commerce: loyalty ${command.parent!.name()} ${command.name()} --commerce <commerce>`,
    );
  return name;
}
