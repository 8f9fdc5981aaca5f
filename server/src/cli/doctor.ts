import type { Command } from 'commander';
import {
  ConfigRefused,
  readEffective,
  readServiceConfig,
  type Config,
  type EffectiveVariable,
} from '#settings/config.ts';
import { openDatabase } from '#db/database.ts';
import { checkCarried, NotCarried } from '#db/carried-statements.ts';
import { checkLimits, LimitsMissing } from '#db/pooler.ts';
import { examineCluster } from '#doctor/examine-cluster.ts';
import { examineDatabase } from '#doctor/examine-database.ts';
import { examineDisk, examineMail, examineProcess } from '#doctor/examine-machine.ts';
import { examineSchema } from '#doctor/examine-schema.ts';
import { examineTime } from '#doctor/examine-time.ts';
import { examineWork } from '#doctor/examine-work.ts';
import { problem, type Finding, type Subject } from '#doctor/finding.ts';
import { describeFailure } from '#start/describe-failure.ts';
import { loadEnvFile } from '#settings/env-file.ts';
import { readVersion } from '#base/version.ts';
import {
  formatTable,
  jsonOption,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withUnmigratedDatabase } from './with-database.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('examine the installation')
    .description(
      'Examine the configuration, the database, its role and settings, each part of its schema (columns, keys, constraints, indexes, triggers, functions), clocks, time zones, disk, mail server, jobs and books. Print the effective configuration without secrets, and, for each problem, one sentence and what to do. It changes nothing and sends nothing. The exit status is 1 if anything is wrong; warnings do not count.',
    )
    .option(...jsonOption)
    .addHelpText('after', writeExamples('doctor', 'doctor --json'))
    .action(runDoctor);
}

async function runDoctor(options: JsonOption): Promise<void> {
  loadEnvFile(process.env);
  const configuration = readEffective(process.env);
  const findings: Finding[] = [];
  const facts: Record<string, unknown> = { version: readVersion(), node: process.versions.node };
  const config = readConfiguration(findings);
  if (config !== null) await examineAll(config, facts, findings);
  const problems = findings.filter(({ level }) => level === 'problem').length;
  printResult(options, { healthy: problems === 0, findings, facts, configuration }, () =>
    writeReport(configuration, facts, findings),
  );
  if (problems > 0) process.exitCode = 1;
}

/** Returns null if the configuration is invalid. */
function readConfiguration(findings: Finding[]): Config | null {
  try {
    return readServiceConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    for (const issue of error.issues)
      findings.push(
        problem(
          'configuration',
          issue,
          'Correct the variable; docs/configuration.md lists what each one takes.',
        ),
      );
    return null;
  }
}

async function examineAll(
  config: Config,
  facts: Record<string, unknown>,
  findings: Finding[],
): Promise<void> {
  const examine = async (about: Subject, work: () => Promise<{ facts: unknown; findings: Finding[] }>) => {
    try {
      const found = await work();
      facts[about] = found.facts;
      findings.push(...found.findings);
      return true;
    } catch (error) {
      findings.push(problem(about, describeFailure(error), FIXES[about] ?? 'Mend that, and run this again.'));
      return false;
    }
  };
  findings.push(...examineProcess(config));
  await examine('disk', () => examineDisk(config));
  await examine('mail', () => examineMail(config));
  let isReached = false;
  try {
    await withUnmigratedDatabase(
      async (db) => {
        isReached = true;
        if (!(await examine('database', () => examineDatabase(db, config)))) return;
        await examine('time zones', () => examineTime(db));
        if (config.cluster !== null) await examine('cluster', () => examineCluster(db));
        const { databaseUrl: url, databaseDirectUrl: directUrl } = config;
        if (url !== null && directUrl !== null && url !== directUrl)
          await examine('pooler', () => examinePooler(url, config));
        // A schema that is behind or ahead differs anyway.
        const isCurrent = !findings.some(({ about }) => about === 'schema');
        // A cluster keeps its tables in shards, with constraints and triggers of its own.
        const isOneServer = config.cluster === null && !findings.some(({ about }) => about === 'cluster');
        if (isCurrent && isOneServer) await examine('schema', () => examineSchema(db));
        if (isCurrent) await examine('jobs', () => examineWork(db));
      },
      { onlyLooks: true },
    );
  } catch (error) {
    if (isReached) throw error;
    findings.push(problem('database', describeFailure(error), FIXES.database!));
  }
}

const FIXES: Partial<Record<Subject, string>> = {
  pooler: 'Start the pooler, or correct DATABASE_URL.',
  database:
    'Start PostgreSQL, or correct DATABASE_URL. Without DATABASE_URL, the first start of the service creates the embedded one.',
};

/** A command bypasses the pooler, but calls go through it, on connections like these. */
async function examinePooler(url: string, { preparedStatements, cluster }: Config) {
  const database = openDatabase({
    url,
    sendsSettings: false,
    preparedStatements,
    cluster,
    trustsMachines: true,
    poolSize: 3,
  });
  try {
    await checkCarried(database);
    await checkLimits(database, database.address);
    return { facts: { limitsHold: true }, findings: [] };
  } catch (error) {
    if (!(error instanceof LimitsMissing || error instanceof NotCarried)) throw error;
    const [says, ...fix] = error.message.split('\n');
    return {
      facts: error instanceof LimitsMissing ? { limitsHold: false } : { carries: false },
      findings: [problem('pooler', says!, fix.join('\n'))],
    };
  } finally {
    await database.destroy();
  }
}

function writeReport(
  configuration: readonly EffectiveVariable[],
  facts: Record<string, unknown>,
  findings: readonly Finding[],
): string {
  const set = configuration.filter(({ from, value }) => from !== 'default' || value !== null);
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return [
    formatTable(
      ['VARIABLE', 'VALUE', 'FROM'],
      set.map(({ name, value, from }) => [name, value ?? '', from]),
    ),
    '',
    formatTable(
      ['EXAMINED', 'FOUND'],
      Object.entries(facts).map(([about, found]) => [about, writeFacts(found)]),
    ),
    '',
    ...findings.map(({ level, about, says, fix }) => `${level} (${about}): ${says}\n  → ${fix}`),
    findings.length === 0
      ? 'Nothing is wrong.'
      : `${writeCount(count('problem'), 'problem')}, ${writeCount(count('warning'), 'warning')}.`,
  ].join('\n');
}

function writeFacts(found: unknown): string {
  if (typeof found !== 'object' || found === null) return String(found);
  return Object.entries(found)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
