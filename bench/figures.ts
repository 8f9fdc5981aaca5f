export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Three significant digits or so. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100) return whole(value);
  return Number.isNaN(value) ? '' : value.toFixed(Math.abs(value) < 0.1 ? 3 : 2);
}

export function whole(value: number): string {
  return Number.isNaN(value) ? '' : Math.round(value).toLocaleString('en');
}

export function megabytes(bytes: number): string {
  return whole(bytes / 1e6);
}
