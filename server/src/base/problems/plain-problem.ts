import { Problem } from './problem.ts';

/** A problem as plain data, which can be sent to another process. */
export type PlainProblem = Pick<Problem, 'status' | 'code' | 'message' | 'hint' | 'headers'> & {
  readonly body: object;
};

export function toPlainProblem(problem: Problem): PlainProblem {
  const { status, code, message, hint, headers } = problem;
  return { status, code, message, hint, headers, body: problem.body() };
}

/** A problem that another process found. It is answered as that process would have answered it. */
export class ReportedProblem extends Problem {
  readonly #body: object;

  constructor({ status, code, message, hint, headers, body }: PlainProblem) {
    super(status, code, message, { headers, ...(hint !== null && { hint }) });
    this.#body = body;
  }

  override body(): object {
    return this.#body;
  }
}
