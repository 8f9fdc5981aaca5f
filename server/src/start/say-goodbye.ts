import { relative } from 'node:path';

/**
 * Returns what a person reads at the end.
 * @param data the folder of the embedded database; null if the database is somebody else's
 */
export function sayGoodbye(data: string | null): string {
  if (data === null) return 'Stopped.\n';
  const near = relative(process.cwd(), data);
  return `Stopped. Your data is in ${near.startsWith('..') ? data : `./${near}`}; start again with \`npm start\`.\n`;
}
