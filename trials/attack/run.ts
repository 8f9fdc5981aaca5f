/**
 * `npm run attack [-- NAME... --quick --json FILE]`: attacks a running service in every way that is known to have
 * stopped it, or that should not work, and prints one table.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { withServer } from '../../bench/database.ts';
import { attacks } from './attacks.ts';
import { measureAttack, type Outcome } from './harness/measure-attack.ts';
import { withStage } from './harness/stage.ts';
import { writeTable } from './harness/table.ts';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, json: { type: 'string' }, seconds: { type: 'string' } },
});
const seconds = Number(options.seconds ?? (options.quick === true ? 3 : 10));
const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0) {
  const all = attacks.map(({ name, sentence }) => `  ${name}: ${sentence}`).join('\n');
  throw new Error(`no such attack: ${unknown.join(', ')}. There are:\n${all}`);
}

const outcomes: Outcome[] = [];
await withServer(async (serverUrl) => {
  for (const attack of attacks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    process.stderr.write(`${attack.name}: ${attack.sentence}\n`);
    // Each attack gets a service and a database of its own, so that none profits from the one before.
    const outcome = await withStage(serverUrl, { short: false }, (stage) =>
      measureAttack(attack, stage, seconds),
    );
    for (const { holds, promise, seen } of outcome.findings)
      process.stderr.write(`  ${holds ? 'holds ' : 'BROKEN'} ${promise} (${seen})\n`);
    outcomes.push(outcome);
  }
});
process.stdout.write(`\n${writeTable(outcomes)}`);
if (options.json !== undefined) {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  await writeFile(options.json, `${JSON.stringify(outcomes, rounded)}\n`);
}
process.exitCode = outcomes.every(({ holds }) => holds) ? 0 : 1;
