/** Saves a file on the person's device, as if it had been downloaded. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Returns the day on this device for the name of a file, such as 2026-03-05. */
export function dayOfFile(): string {
  return new Intl.DateTimeFormat('en-CA', { dateStyle: 'short' }).format(new Date());
}
