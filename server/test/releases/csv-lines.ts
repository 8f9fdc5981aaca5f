/** The lines of a CSV text without quotes, numbered and with their fields by column, as the imports take them. */
export async function* linesOf(
  csv: string,
): AsyncGenerator<{ line: number; fields: Record<string, string> }> {
  const [head = '', ...rows] = csv.trim().split('\n');
  const columns = head.split(',');
  for (const [i, row] of rows.entries()) {
    const texts = row.split(',');
    yield { line: i + 2, fields: Object.fromEntries(columns.map((column, at) => [column, texts[at] ?? ''])) };
  }
}
