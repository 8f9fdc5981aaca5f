/** One PostgreSQL for the whole run: test processes inherit its address in `TEST_DATABASE_SERVER`. */
import { type ScratchServer, startScratchServer } from './postgres.ts';

let server: ScratchServer | null = null;

export async function globalSetup(): Promise<void> {
  server = await startScratchServer();
  process.env['TEST_DATABASE_SERVER'] = server.adminUrl;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
