/**
 * Checks the settings and the ports of a start, and exits with 1 if they are wrong. A start that has to build the portal
 * first runs this before it.
 */
import { checkPorts } from './check-ports.ts';
import { readServiceConfig } from '#settings/config.ts';
import { loadEnvFile } from '#settings/env-file.ts';
import { Refusal } from '#base/refusal.ts';

try {
  loadEnvFile(process.env);
  await checkPorts(readServiceConfig(process.env));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
