import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDataFolder } from '#files/data-folder.ts';
import type { Config } from './config.ts';

/**
 * The keys of an installation. The first makes everything that is signed or hashed with a key. Anything made with any of them is good, so
 * that a key can be replaced while processes and callers still use the one before.
 */
export type SecretKeys = readonly [string, ...string[]];

/** Returns the keys. If none is configured, generates one and keeps it in `DATA_DIR/secret-key`. */
export function readSecretKeys(config: Config): SecretKeys {
  return [readSecretKey(config), ...config.otherSecretKeys];
}

/** Derives a key for one purpose from each of the keys. */
export function deriveKeys(secret: SecretKeys, purpose: string, bytes: number): DerivedKeys {
  const [current, ...others] = secret;
  const derive = (key: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, bytes));
  return [derive(current), ...others.map(derive)];
}

/** Keys for one purpose, in the order of the keys of the installation. */
export type DerivedKeys = readonly [Buffer, ...Buffer[]];

function readSecretKey(config: Config): string {
  if (config.secretKey !== null) return config.secretKey;
  const path = join(config.dataDir, 'secret-key');
  if (!existsSync(path)) generateKey(path);
  return readFileSync(path, 'utf8').trim();
}

/**
 * Returns the secret behind the key that signs heads. Null if the service has one that this command cannot know: it would be
 * generated here, and differ.
 */
export function readSealKey(config: Config): string | null {
  if (config.sealKey !== null) return config.sealKey;
  return config.secretKey === null && config.databaseUrl !== null ? null : readSecretKey(config);
}

/** If two processes start at once, both use the key that is linked first. */
function generateKey(path: string): void {
  makeDataFolder(dirname(path));
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
