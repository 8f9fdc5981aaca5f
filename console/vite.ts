import type { InlineConfig } from 'vite';

/** How Vite builds the console, and the page of its parts. */
export const OPTIONS = {
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  base: './',
  resolve: { conditions: ['@loyalty/source', 'module', 'browser', 'production'] },
  build: {
    assetsDir: '_assets',
    target: ['chrome114', 'firefox125', 'safari17'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Licenses ask for their notices in every copy. In one file beside the scripts they are whole, and no page loads them.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        comments: { legal: false },
        // What the first page loads is one file: together it is compressed better.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
      onLog(level, log, report) {
        // Marks for servers that render React, of which there is none here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
} satisfies InlineConfig;
