import type {
  Program,
  ProgramCheck,
  ProgramFile,
  ProgramFileRead,
  ProgramInForce,
  ProgramVersion,
  ProgramVersions,
  PublishedProgram,
} from '../admin-wire-program.ts';
import type { WhatIfLine, WhatIfRequest } from '../admin-wire-what-if.ts';
import { queryOf, type CallOptions } from '../call.ts';
import type { StreamOptions } from '../lines.ts';
import type { AdminCalls } from './calls.ts';

/** Publishing moves all members, so it may take its time. */
const PUBLISHING_MS = 120_000;

/** What an owner does with the program. */
export function createProgramMethods({ get, post, read, stream }: AdminCalls) {
  return {
    /** Returns the whole program that is in force, with its version and its author. */
    getProgramModel: (callOptions?: CallOptions) => get<ProgramInForce>('/program/model', callOptions),

    /** Returns what publishing a program would change, and what stands in its way. Changes nothing. */
    checkProgram: (draft: { program: Program; base_version: number }, callOptions?: CallOptions) =>
      read<ProgramCheck>('/program/check', draft, callOptions),

    /**
     * Yields what a program would have done over the real ledger: progress, then one result. Changes nothing. Leave the loop, or
     * abort, to stop the service's work.
     */
    whatIf: (question: WhatIfRequest, options?: StreamOptions) =>
      stream<WhatIfLine>('/program/what-if', question, options),

    /**
     * Puts a program in force. Rejects with `program_changed` if somebody else has published since `base_version`, and with
     * status 422 and the problems in `detail` if the program is not valid.
     */
    publishProgram: (
      draft: {
        program: Program;
        base_version: number;
        /** What the list of versions says about it. */
        note?: string;
      },
      callOptions: CallOptions = {},
    ) => post<PublishedProgram>('/program/publish', draft, { timeoutMs: PUBLISHING_MS, ...callOptions }),

    /** Returns a page of the versions of the program, newest first. */
    listProgramVersions: (page: { cursor?: string | null } = {}, callOptions?: CallOptions) =>
      get<ProgramVersions>(`/program/versions${queryOf(page)}`, callOptions),

    /** Returns a version with its program, what it changed, and what going back to it would change. */
    getProgramVersion: (version: number, callOptions?: CallOptions) =>
      get<ProgramVersion>(`/program/versions/${version}`, callOptions),

    /** Returns the program that is in force as a file in YAML. */
    getProgramFile: (callOptions?: CallOptions) => get<ProgramFile>('/program/file', callOptions),

    /** Returns a proposed program as a file in YAML. */
    writeProgramFile: (program: Program, callOptions?: CallOptions) =>
      read<ProgramFile>('/program/file/write', { program }, callOptions),

    /** Returns the program that a file says, or the problems of the file with their lines. */
    readProgramFile: (text: string, callOptions?: CallOptions) =>
      read<ProgramFileRead>('/program/file/read', { text }, callOptions),
  };
}
