import { writeAnew } from '#pictures/write-anew.ts';
import { checkMailFields, checkProgram } from '#program/check-program.ts';
import type { Program } from '#program/program.ts';
import { readProgram } from '#program/read-program.ts';
import { writeProgram } from '#program/write-program.ts';

/** The work that is done aside. Everything that it needs is handed in: it has no database. */
export const tasks = {
  checkProgram: (json: string) => checkProgram(JSON.parse(json)),
  checkMailFields: (json: string) => checkMailFields(JSON.parse(json)),
  readProgram: (text: string) => readProgram(text),
  writeProgram: (program: Program) => writeProgram(program),
  writeAnew: (picture: Uint8Array) => writeAnew(Buffer.from(picture)),
};

export type Tasks = typeof tasks;
export type Task = keyof Tasks;
