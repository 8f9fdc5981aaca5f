import type { InlineConfig } from 'vite';

/** How Vite builds the portal, and the page of its parts. */
export const OPTIONS = {
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  base: './',
  resolve: { conditions: ['@loyalty/source', 'module', 'browser', 'production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    assetsDir: '_assets',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The license of the icons asks for its notice in every copy.
    rolldownOptions: { output: { comments: { legal: true } } },
  },
} satisfies InlineConfig;
