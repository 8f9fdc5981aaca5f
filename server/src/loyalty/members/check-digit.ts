/**
 * Damm's check digit. It detects every wrong digit and every swap of two neighbouring digits, so a cashier's typo
 * does not credit the points to a stranger. It is 0 for digits that end with their check digit.
 */
export function checkDigit(digits: string): number {
  let interim = 0;
  for (const digit of digits) interim = quasigroup[interim]![Number(digit)]!;
  return interim;
}

/** Damm's table of order 10. It is totally anti-symmetric and has zeros on its diagonal. */
const quasigroup = [
  [0, 3, 1, 7, 5, 9, 8, 6, 4, 2],
  [7, 0, 9, 2, 1, 5, 4, 8, 6, 3],
  [4, 2, 0, 6, 8, 7, 1, 3, 5, 9],
  [1, 7, 5, 0, 9, 8, 3, 4, 2, 6],
  [6, 1, 2, 3, 0, 4, 5, 9, 7, 8],
  [3, 6, 7, 4, 2, 0, 9, 5, 8, 1],
  [5, 8, 6, 9, 7, 2, 0, 1, 3, 4],
  [8, 9, 4, 5, 3, 6, 2, 0, 1, 7],
  [9, 4, 3, 8, 6, 1, 7, 2, 0, 5],
  [2, 5, 8, 1, 4, 3, 6, 7, 9, 0],
];
