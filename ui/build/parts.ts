/** The pages that show every part of the portal and of the console: `npm run parts`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, preview, type InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** Applications that have parts. */
export const APPLICATIONS = ['portal', 'console'] as const;
export type Application = (typeof APPLICATIONS)[number];

/** A page that is built and served. */
export interface PartsPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds the page of an application and serves it on a free port of this machine. */
export async function serveParts(application: Application): Promise<PartsPage> {
  const { OPTIONS } = (await import(join(ROOT, application, 'vite.ts'))) as { OPTIONS: InlineConfig };
  const outDir = await mkdtemp(join(tmpdir(), `loyalty-parts-${application}-`));
  const input = join(ROOT, application, 'parts/index.html');
  const rolldownOptions = { ...OPTIONS.build?.rolldownOptions, input };
  await build({ ...OPTIONS, build: { ...OPTIONS.build, rolldownOptions, outDir, emptyOutDir: true } });
  const server = await preview({
    ...OPTIONS,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  });
  return {
    url: new URL('parts/index.html', server.resolvedUrls!.local[0]).href,
    async close() {
      await server.close();
      await rm(outDir, { recursive: true });
    },
  };
}

if (import.meta.main)
  for (const application of APPLICATIONS)
    console.log(`${application}: ${(await serveParts(application)).url}`);
