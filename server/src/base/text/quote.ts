/** Writes a wrong value into an error message: on one line, and the beginning of a long one. */
export function quote(value: string): string {
  return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
}

const LONGEST = 60;
