/**
 * `npm run alerts`: makes one fault after the other, each with a new database, service and Prometheus, and looks which alerts
 * fire. Prints a table, and writes its rows into docs/alerts.md. Exits with 1 if an alert does not fire in its fault, if another
 * one does, or if any fires before it. Names of alerts as arguments make only their faults.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScratchServer } from '../../server/test/postgres.ts';
import { read, ROOT } from '../../server/test/repository.ts';
import {
  faults,
  prepareFullDisk,
  prepareRefusingMailServer,
  prepareWrongClock,
  type AlertFault,
  type Prepared,
} from './faults.ts';
import { RULES, whyNoPrometheus } from './prometheus.ts';
import { FACTOR, setStage } from './stage.ts';

const PAGE = join(ROOT, 'docs/alerts.md');
const QUIET_MS = 8_000;
const LONGEST_MS = 90_000;
/** How long others are watched after the alert has fired. */
const AFTER_MS = 6_000;

interface Row {
  readonly fault: AlertFault;
  readonly seconds: number | null;
  readonly alongside: readonly string[];
  readonly failed: readonly string[];
}

const missing = whyNoPrometheus();
if (missing !== null) {
  process.stderr.write(`${missing}\n`);
  process.exit(2);
}
const wanted = process.argv.slice(2);
const isWanted = ({ alert }: AlertFault) => wanted.length === 0 || wanted.includes(alert);
const server = await startScratchServer();
const rows: Row[] = [];
const named = [...read(RULES).matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
try {
  for (const fault of faults.filter(isWanted)) await show(fault);
  const clock = prepareWrongClock();
  if (clock !== null && isWanted(clock)) await show(clock);
  for (const prepare of [prepareRefusingMailServer, () => prepareFullDisk(server.adminUrl)]) {
    const prepared: Prepared | null = await prepare();
    if (prepared === null) continue;
    if (isWanted(prepared)) await show(prepared);
    await prepared.cleanUp();
  }
} finally {
  await server.stop();
}
process.exitCode = rows.some(({ failed }) => failed.length > 0) ? 1 : 0;

async function show(fault: AlertFault): Promise<void> {
  const row = await make(fault).catch((error: unknown) => ({
    fault,
    seconds: null,
    alongside: [],
    failed: [`the fault could not be made: ${error instanceof Error ? error.message : String(error)}`],
  }));
  rows.push(row);
  process.stdout.write(`${writeRow(row)}\n`);
  // Another run may have written meanwhile.
  writeFileSync(PAGE, writePage(readRows().set(fault.alert, writeRow(row))));
  for (const sentence of row.failed) process.stderr.write(`${fault.alert}: ${sentence}\n`);
}

async function make(fault: AlertFault): Promise<Row> {
  const stage = await setStage({ serverUrl: server.adminUrl, ...fault.options });
  try {
    const isWrongFromTheStart = fault.options?.env?.['FAKETIME'] !== undefined;
    const early = isWrongFromTheStart ? [] : await collect(stage.prometheus, QUIET_MS, () => false);
    const began = performance.now();
    const end = await fault.begin(stage);
    const fired = new Set(await collect(stage.prometheus, LONGEST_MS, (names) => names.has(fault.alert)));
    const seconds = fired.has(fault.alert) ? (performance.now() - began) / 1000 : null;
    for (const name of await collect(stage.prometheus, AFTER_MS, () => false)) fired.add(name);
    await end?.();
    const others = [...fired].filter((name) => name !== fault.alert);
    return {
      fault,
      seconds,
      alongside: others,
      failed: [
        ...early.map((name) => `${name} fired before anything was wrong`),
        ...(seconds === null ? ['did not fire'] : []),
        ...others
          .filter((name) => fault.alongside?.[name] === undefined)
          .map((name) => `${name} fired too, and is not for this fault`),
      ],
    };
  } finally {
    await stage.clear();
  }
}

/** Returns all alerts that fire until `isDone`, or for so long. */
async function collect(
  prometheus: Awaited<ReturnType<typeof setStage>>['prometheus'],
  ms: number,
  isDone: (fired: ReadonlySet<string>) => boolean,
): Promise<string[]> {
  const fired = new Set<string>();
  for (const until = performance.now() + ms; performance.now() < until && !isDone(fired); await sleep(250))
    for (const name of await prometheus.firing()) fired.add(name);
  return [...fired];
}

function writeRow({ fault, seconds, alongside, failed }: Row): string {
  const others = alongside.map((name) => `${name}: ${fault.alongside?.[name] ?? '**not expected**'}`);
  return `| ${[
    `[${fault.alert}](runbook.md#${fault.alert.toLowerCase()})`,
    fault.fault,
    seconds === null ? '–' : seconds.toFixed(0),
    others.length === 0 ? 'none' : others.join('; '),
    failed.length === 0 ? 'holds' : failed.join('; ').split('\n')[0],
  ].join(' | ')} |`;
}

function writePage(lines: ReadonlyMap<string, string>): string {
  const left = named.filter((name) => !lines.has(name));
  const unmade =
    left.length === 0
      ? ''
      : `\nNot made on this machine yet: ${left.join(', ')}. The [tests of the rules](../examples/prometheus/alerts.test.yaml) show each alert in the figures of its fault.\n`;
  return `<!-- Written by \`npm run alerts\`. Do not edit this page. -->

# The alerts and their faults

Each alert of [alerts.yaml](../examples/prometheus/alerts.yaml) was watched in the fault that it is for: a new database, a service
under a light load, and a Prometheus with these rules. For eight seconds nothing is wrong, and no alert may fire. Then comes the
fault. Its alert must fire, and no other, unless the table says why. Durations of the rules are divided by ${FACTOR}, so that five
minutes are ten seconds, and so is the time in the table: it includes the five seconds after which a process reads again what all
processes share. The half second of LoyaltySlow is a second here, because this runs on a machine that others use.

\`npm run alerts\` makes the faults again and writes this page; \`npm run alerts -- LoyaltySlow\` makes one. It needs Prometheus
(\`apt-get install prometheus\`), and root for the full disk.

| alert | fault | fires after, s | others | result |
|---|---|---|---|---|
${named.flatMap((name) => lines.get(name) ?? []).join('\n')}
${unmade}`;
}

/** Returns the rows of the page by their alerts, those of earlier runs included. */
function readRows(): Map<string, string> {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  return new Map([...page.matchAll(/^\| \[(\w+)\]\(.+\|$/gm)].map(([line, name]) => [name!, line]));
}
