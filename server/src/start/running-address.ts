/** Where the service of a data folder runs, for commands that show its address. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Kept {
  readonly pid: number;
  readonly url: string;
}

/** Keeps the address of this process in the data folder. Does nothing if it cannot be written: it is only a convenience. */
export function keepAddress(dataDir: string, host: string, port: number): void {
  try {
    writeFileSync(
      fileIn(dataDir),
      JSON.stringify({ pid: process.pid, url: localUrl(host, port) } satisfies Kept),
    );
  } catch {
    // With a database elsewhere there need not be a data folder.
  }
}

/** Removes the address of this process, but not that of another one. */
export function forgetAddress(dataDir: string): void {
  if (readKept(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true });
}

/** Returns the address of the service that runs on a data folder, or the one where it would run. */
export function addressOf({ dataDir, host, port }: { dataDir: string; host: string; port: number }): string {
  const kept = readKept(dataDir);
  return kept !== null && isAlive(kept.pid) ? kept.url : localUrl(host, port);
}

/** Returns the address of the service for links: the public one, else that of the port on this machine. */
export function baseOf(
  { publicUrl, host }: { publicUrl: string | null; host: string },
  port: number,
): string {
  return publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}

/** Returns an address on this machine: loopback if the service listens on all addresses. IPv6 goes in brackets. */
function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'address.json');
}

function readKept(dataDir: string): Kept | null {
  try {
    const { pid, url } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Partial<Kept>;
    return Number.isInteger(pid) && pid! > 0 && typeof url === 'string' ? { pid: pid!, url } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
