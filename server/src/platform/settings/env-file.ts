/** The file `.env` of the checkout: settings for people who start the program by hand. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';

const checkout = resolve(import.meta.dirname, '../../../..');

/**
 * Adds the variables of `.env`, or of the file that `ENV_FILE` names, to an environment. A variable that the environment
 * has, even an empty one, wins over the file. Returns the path of the file that was read, or null if there is none.
 * @throws Refusal if the file is not as it should be, or if `ENV_FILE` names one that cannot be read
 */
export function loadEnvFile(env: NodeJS.ProcessEnv): string | null {
  const { ENV_FILE: named = '' } = env;
  if (named === 'off') return null;
  const path = resolve(checkout, named === '' ? '.env' : named);
  const text = readIfPresent(path, named !== '');
  if (text === null) return null;

  const problems = findProblems(text).map(({ line, message }) => `${path}:${line}: ${message}`);
  if (problems.length > 0) throw new Refusal(problems.join('\n'));
  for (const [name, value] of Object.entries(parseEnv(text))) {
    // `NAME` and `NAME_FILE` are two ways to set one thing, so either in the environment wins over either in the file.
    const other = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
    if (env[name] === undefined && env[other] === undefined) env[name] = value;
  }
  return path;
}

function readIfPresent(path: string, isRequired: boolean): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (!isRequired && (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Refusal(
      `${path} cannot be read: ${tellTrouble(error)}.${isRequired ? ' ENV_FILE names it.' : ''}`,
    );
  }
}

interface LineProblem {
  readonly line: number;
  readonly message: string;
}

/** Node's parser skips a line that it does not understand, and nobody would notice. The values may be secrets. */
function findProblems(text: string): LineProblem[] {
  const problems: LineProblem[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, value] = /^(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/.exec(line) ?? [];
    if (value === undefined) {
      const [name = ''] = /^[A-Za-z_]\w*(?=[\s:])/.exec(line) ?? [];
      const seen = name === '' ? '' : `; it begins with "${name}"`;
      problems.push({ line: at + 1, message: `a line must be NAME=value or a # comment${seen}` });
      continue;
    }
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote === undefined || value.includes(quote, 1)) continue;
    const end = lines.findIndex((later, index) => index > at && later.includes(quote));
    if (end < 0) problems.push({ line: at + 1, message: `the quotation mark ${quote} is never closed` });
    at = end < 0 ? lines.length : end;
  }
  return problems;
}
