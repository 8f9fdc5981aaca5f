import { readConfig, type Config } from '#settings/config.ts';
import { loadEnvFile } from '#settings/env-file.ts';

/** Reads the settings of a command, from the environment and from `.env`. @throws Refusal */
export function readSettings(): Config {
  loadEnvFile(process.env);
  return readConfig(process.env);
}
