/** How figures stand in the page. */

/** Two digits behind the point, three of a small figure, or none where there are three before it. */
export function figure(value: number | null): string {
  if (value === null) return '';
  if (Math.abs(value) >= 100) return whole(value);
  return value.toFixed(Math.abs(value) < 0.1 ? 3 : 2);
}

export function whole(value: number | null): string {
  return value === null ? '' : Math.round(value).toLocaleString('en');
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function megabytes(bytes: number): string {
  return String(Math.round(bytes / 1e6));
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
