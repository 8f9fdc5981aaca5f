import type { ProgramProblem } from './program.ts';

/** Writes the place of a problem, such as `benefits[0].cost`. It is '' if the problem concerns the whole program. */
export function writePath(path: ProgramProblem['path']): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}
