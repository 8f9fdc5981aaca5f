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
    rolldownOptions: {
      // The license of the icons asks for its notice in every copy.
      output: { comments: { legal: true } },
      onLog(level, log, report) {
        // Marks for servers that render React, of which there is none here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
} satisfies InlineConfig;
