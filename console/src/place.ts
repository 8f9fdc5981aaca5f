/** Where the console lies. The built files are in `_assets` below it, so no address is baked in at build time. */
const [here] = import.meta.url.split('_assets/');
const ROOT = new URL(here!);

/** The path of the console without a slash at its end, such as `/console`. */
export const BASE = ROOT.pathname.replace(/\/$/, '');

/** The address of the service: the console lies in the folder `console` of it. */
export const SERVICE = new URL('.', ROOT.href.replace(/\/$/, '')).href.replace(/\/$/, '');

/** The style sheet with the colors that follow from a shop's own. */
export const colorsOf = (color: string): string => `${BASE}/_colors/${color.slice(1).toLowerCase()}.css`;
