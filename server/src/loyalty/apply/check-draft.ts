import { readCommerce, readProgram, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { changesBetween } from '#program/changes.ts';
import { checkProgram, type CheckedProgram } from '#program/check-program.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { TiersNotTold, withTierIds } from '#program/tier-ids.ts';
import { warningsOf } from '#program/warnings.ts';
import { cautionsOf, missingPictures } from './cautions.ts';
import { findImpossible } from './find-impossible.ts';

/** A program that somebody has not published yet, as it was checked, and the version from which they began. */
export interface Draft {
  readonly checked: CheckedProgram;
  readonly baseVersion: number;
}

export interface CheckedDraft {
  /** Empty if the draft can be published. */
  readonly problems: readonly ProgramProblem[];
  /** The changes of the draft to its base. Empty while there are problems. */
  readonly changes: string[];
  /** The changes published since its base. */
  readonly changedMeanwhile: string[];
  readonly warnings: string[];
  readonly currentVersion: number;
}

/** 422: no such version was ever in force. */
export class NotABaseVersion extends InvalidRequest {
  constructor() {
    super(
      [
        {
          loc: ['body', 'base_version'],
          msg: 'Value error, not a version of this program',
          type: 'value_error',
        },
      ],
      'invalid',
      'Send the version of GET /admin/v1/program/model from which the changes began.',
    );
  }
}

/**
 * Says what publishing a draft would change, and what stands in its way. Reads only what a form needs while somebody types:
 * it takes no lock, looks at no member and writes nothing. How many members would move is the business of the what-if.
 * @throws NotABaseVersion
 */
export async function checkDraft(db: Db, commerceId: number, draft: Draft): Promise<CheckedDraft> {
  const commerce = (await readCommerce(db, commerceId))!;
  const { program: inForce, rules, now } = commerce;
  const base = await readBase(db, commerce, draft.baseVersion);
  const outcome = {
    changedMeanwhile: changesBetween(base, inForce),
    currentVersion: rules.version,
  };
  const read = placeDraft(base, draft.checked);
  if (!read.ok) return { ...outcome, problems: read.problems, changes: [], warnings: [] };
  const { program } = read;
  const problems = await findImpossible(db, commerce, program);
  if (problems.length > 0) return { ...outcome, problems, changes: [], warnings: [] };
  const cautions = await cautionsOf(db, commerceId, inForce, program);
  return {
    ...outcome,
    problems: [],
    changes: changesBetween(base, program),
    warnings: [...cautions, ...(await missingPictures(db, program)), ...warningsOf(program, now)],
  };
}

async function readBase(db: Db, { id, rules, program }: Commerce, version: number): Promise<Program> {
  if (version === rules.version) return program;
  if (version > rules.version) throw new NotABaseVersion();
  return readProgram(db, id, version);
}

/**
 * Checks a program for a commerce that exists, and gives its new tiers their ids. Its slug must stay.
 * @param base the program from which the changes began
 */
export function readDraft(base: Program, said: unknown): CheckedProgram {
  return placeDraft(base, checkProgram(said));
}

/** The same for a program that has been checked by itself, which is what takes long. */
export function placeDraft(base: Program, checked: CheckedProgram): CheckedProgram {
  if (!checked.ok) return checked;
  const { program } = checked;
  if (program.slug !== base.slug)
    return refuse(['slug'], `must stay ${base.slug}, not ${program.slug}: it is the permanent name`);
  try {
    return { ...checked, program: withTierIds(program, base) };
  } catch (error) {
    if (!(error instanceof TiersNotTold)) throw error;
    return refuse(['levels', 'ladder'], error.message);
  }
}

function refuse(path: ProgramProblem['path'], message: string): CheckedProgram {
  return { ok: false, problems: [{ path, message, at: 'value' }] };
}
