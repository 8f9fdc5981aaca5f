/** Returns how many digits a code has when it is written out. */
export function countDigits(code: number): number {
  return String(code).length;
}
