import { configSchema, type ConfigName } from './config-variables.ts';
import { distanceOfTexts } from '#text/near-name.ts';

const OWN = Object.keys(configSchema.properties) as ConfigName[];
const KNOWN: ReadonlySet<string> = new Set([...OWN, ...OWN.map((name) => `${name}_FILE`), 'ENV_FILE']);
const LONGEST = 40;

/**
 * Returns a sentence for each variable of the environment that is not one of the program's, but hardly differs from one that is not set:
 * `SMPT_URL`, `TRUST_PROXYS`, `DATABASEURL`. Its value is not told, because it may be a secret.
 */
export function findMisspelt(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).flatMap((name) => {
    if (KNOWN.has(name) || !env[name] || name.length > LONGEST) return [];
    const meant = [...KNOWN].find((known) => !env[known] && isMeant(name, known));
    return meant === undefined
      ? []
      : [`${name} is set, but there is no such variable. If ${meant} is meant, correct its name.`];
  });
}

/** Of a short name, one letter more or less makes another word: `HOME` and `HOST`, `PORT` and `PORTS`. */
function isMeant(name: string, known: string): boolean {
  const [a, b] = [lettersOf(name), lettersOf(known)];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 2 || b.length < 6) return false;
  const distance = distanceOfTexts(a, b);
  return distance === 1 || (distance === 2 && (b.length >= 9 || isTransposed(a, b)));
}

function isTransposed(a: string, b: string): boolean {
  const sorted = (text: string) => text.split('').toSorted().join('');
  return sorted(a) === sorted(b);
}

function lettersOf(name: string): string {
  return name.replaceAll(/[_-]/g, '').toUpperCase();
}
