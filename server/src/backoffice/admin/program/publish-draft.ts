import { applyIn, lockProgram, ProgramRefused, type Applied, type Author } from '#apply/apply-program.ts';
import { NotABaseVersion, placeDraft, type Draft } from '#apply/check-draft.ts';
import type { Audited } from '#audit/audited.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';
import { changesBetween } from '#program/changes.ts';
import type { CheckedProgram } from '#program/check-program.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { readVersion, type Version } from './read-versions.ts';

/** 409: somebody else published since the draft began. Their version is in force and nothing was changed. */
export class ProgramChanged extends Problem {
  constructor({ version, author }: Version) {
    const by = author?.name ?? (author?.kind === 'command_line' ? 'the command line' : 'somebody');
    super(
      409,
      'program_changed',
      `${by} published version ${version} meanwhile: compare it with yours, then publish with base_version ${version}`,
    );
  }
}

/** 422: the problems that the check of a file would find, each at its place in the program. */
export class ProgramNotValid extends InvalidRequest {
  constructor(problems: readonly ProgramProblem[]) {
    super(
      problems.map(({ path, message }) => ({
        loc: ['body', 'program', ...path],
        msg: message,
        type: 'value_error',
      })),
      'invalid',
      'Each problem of the program is in "detail" with its place.',
    );
  }
}

export interface Publication extends Draft {
  readonly note: string | null;
  readonly author: Author;
}

/**
 * An owner publishes a draft: it is in force for everybody at the commit, and members move with it. A draft that began from
 * a version that is no longer in force is refused, so nobody's change is lost. Publishing what is in force already changes
 * nothing, so a call whose answer was lost can be repeated.
 * @throws ProgramChanged, ProgramNotValid
 */
export async function publishDraft(
  tx: Tx,
  commerceId: number,
  { checked, baseVersion, note, author }: Publication,
): Promise<Audited<Applied>> {
  const { slug } = (await readCommerce(tx, commerceId))!;
  const inForce = (await lockProgram(tx, slug))!;
  if (baseVersion > inForce.version) throw new NotABaseVersion();
  const draft = placeDraft(inForce.program, checked);
  if (baseVersion !== inForce.version && !isSame(inForce.program, draft))
    throw new ProgramChanged(await readVersion(tx, commerceId, inForce.version));
  if (!draft.ok) throw new ProgramNotValid(draft.problems);
  try {
    return await applyIn(tx, draft.program, { authorAt: () => author, note });
  } catch (error) {
    throw error instanceof ProgramRefused ? new ProgramNotValid(error.problems) : error;
  }
}

function isSame(inForce: Program, draft: CheckedProgram): boolean {
  return draft.ok && changesBetween(inForce, draft.program).length === 0;
}
