import { soldBeyond } from '#benefits/write-benefits.ts';
import type { Db } from '#db/database.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import type { Existing } from './apply-program.ts';

/** Returns everything that rules the program out for an existing commerce, so that it can be corrected at once. */
export async function findImpossible(
  db: Db,
  existing: Pick<Existing, 'id' | 'status' | 'program'>,
  program: Program,
): Promise<ProgramProblem[]> {
  if (existing.status === 'closed') {
    const message = `${program.slug} is closed; its program cannot be changed`;
    return [{ path: ['slug'], message, at: 'value' }];
  }
  const sandbox: ProgramProblem = {
    path: ['sandbox'],
    message: `must stay ${existing.program.sandbox}, not ${program.sandbox}: it cannot be changed after creation; give the commerce another slug`,
    at: 'value',
  };
  const oversold = (await soldBeyond(db, existing.id, program)).map(({ id, sold }): ProgramProblem => {
    const index = program.benefits.findIndex((benefit) => benefit.id === id);
    const limit = program.benefits[index]?.buy_limit;
    const message = `must be at least ${sold}, not ${limit}, because ${sold} are sold already; set on_sale: false to stop selling it`;
    return { path: ['benefits', index, 'buy_limit'], message, at: 'value' };
  });
  return [...(existing.program.sandbox === program.sandbox ? [] : [sandbox]), ...oversold];
}
