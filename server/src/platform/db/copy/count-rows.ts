const LINE_FEED = 10;

/** Counts rows in COPY's text format. A line feed ends a row; those inside a value are written as a backslash and an n. */
export function countRows(chunk: Uint8Array): number {
  let rows = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) rows++;
  return rows;
}
