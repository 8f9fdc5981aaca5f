import { describeFailure } from './describe-failure.ts';
import { loadEnvFile } from '#settings/env-file.ts';
import { countProcesses } from './processors.ts';

/**
 * Runs the service until SIGINT or SIGTERM, in this process or in several under this one. Resolves once everything has stopped. Settings
 * come from `env`, which gets those of `.env`.
 * @throws Refusal, or any other error that prevents the start
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const envFile = loadEnvFile(env);
  const processes = countProcesses(env);
  if (processes === 1) {
    const { serveAlone } = await import('./serve-alone.ts');
    return serveAlone(env, envFile);
  }
  const { supervise } = await import('./supervise.ts');
  return supervise(env, { envFile, processes });
}

/** Runs the service as a program. If it cannot start, prints why and exits with 1. */
export async function main(): Promise<void> {
  try {
    await serve(process.env);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}
