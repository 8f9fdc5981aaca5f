import type {
  Program,
  ProgramCheck,
  ProgramFile,
  ProgramFileRead,
  ProgramInForce,
  ProgramVersion,
  ProgramVersions,
  PublishedProgram,
  PurchaseLine,
  TriedPurchase,
  UploadedPicture,
  WhatIfFailure,
  WhatIfProgress,
  WhatIfResult,
  WhatIfWaiting,
} from '../admin-wire.ts';
import {
  check,
  digits,
  fields,
  id,
  number,
  object,
  objects,
  optional,
  orNull,
  queryOf,
  text,
  type Kind,
} from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { StreamOptions } from '../lines.ts';
import type { AdminCalls } from './calls.ts';

/** Publishing moves all members, so it may take its time. */
const PUBLISHING_MS = 120_000;
/** More than the service needs for the worst of files. */
const READING_MS = 30_000;
/** The service itself allows ten seconds for the bytes to arrive. */
const UPLOADING_MS = 30_000;

const DRAFT = { program: object, base_version: number };

const picture: Kind = {
  name: 'a Blob that is not empty',
  fits: (value) => value instanceof Blob && value.size > 0,
};

/** A purchase that nobody made. */
export interface PurchaseToTry {
  program: Program;
  /** Whole units of the currency. */
  amount: number;
  /** When it is made. Now by default. */
  at?: string | null;
  /** The card of a member. */
  client_code?: number | null;
  register_id?: number | null;
  branch_id?: number | null;
  channel?: string | null;
  lines?: PurchaseLine[] | null;
}

const TO_TRY = {
  program: object,
  amount: number,
  at: orNull(text),
  client_code: orNull(digits),
  register_id: orNull(number),
  branch_id: orNull(number),
  channel: orNull(text),
  lines: orNull(objects),
};

/** The question of a what-if. */
export interface WhatIfRequest {
  /** The complete program, as `getProgramModel` returns it. */
  program: Program;
  /** The first day. Twelve months ago by default. */
  from?: string | null;
  /** The last day. By default and on later days, everything up to this moment counts. */
  to?: string | null;
}

/** One line of the answer: its place while other shops come first, progress as long as it runs, then one result or one failure. */
export type WhatIfLine = WhatIfWaiting | WhatIfProgress | WhatIfResult | WhatIfFailure;

/** A program over the real ledger of a past range. `then` is what the ledger has, `now` what it would have. */
export type WhatIf = Omit<WhatIfResult, 'type'>;

/** The methods of an owner for the program. */
export function createProgramMethods({ get, post, read, stream }: AdminCalls) {
  return {
    /** Returns the whole program that is in force, with its version and its author. */
    getProgramModel: (callOptions?: CallOptions) => get<ProgramInForce>('/program/model', callOptions),

    /** Returns what publishing a program would change, and what stands in its way. Changes nothing. */
    checkProgram: async (draft: { program: Program; base_version: number }, callOptions?: CallOptions) =>
      read<ProgramCheck>('/program/check', fields(draft, DRAFT), callOptions),

    /** Returns what a purchase would earn under a proposed program, on each tier or for one member. Records nothing. */
    tryPurchase: async (purchase: PurchaseToTry, callOptions?: CallOptions) =>
      read<TriedPurchase>('/program/try', fields(purchase, TO_TRY), callOptions),

    /**
     * Yields what a program would have done over the real ledger: progress, then one result. Changes nothing. Leave the loop, or
     * abort, to stop the service's work.
     */
    async *whatIf(question: WhatIfRequest, options?: StreamOptions) {
      const body = fields(question, { program: object, from: orNull(text), to: orNull(text) });
      yield* stream<WhatIfLine>('/program/what-if', body, options);
    },

    /**
     * Puts a program in force. Rejects with `program_changed` if somebody else has published since `base_version`, and with
     * status 422 and the problems in `detail` if the program is not valid.
     */
    publishProgram: async (
      draft: {
        program: Program;
        base_version: number;
        /** A note for the list of versions. */
        note?: string;
      },
      callOptions: CallOptions = {},
    ) =>
      post<PublishedProgram>('/program/publish', fields(draft, { ...DRAFT, note: optional(text) }), {
        timeoutMs: PUBLISHING_MS,
        ...callOptions,
      }),

    /** Returns a page of the versions of the program, newest first. */
    listProgramVersions: async (page: { cursor?: string | null } = {}, callOptions?: CallOptions) =>
      get<ProgramVersions>(`/program/versions${queryOf(page, { cursor: orNull(text) })}`, callOptions),

    /** Returns a version with its program, what it changed, and what going back to it would change. */
    getProgramVersion: async (version: number, callOptions?: CallOptions) =>
      get<ProgramVersion>(`/program/versions/${id(version)}`, callOptions),

    /** Returns the program that is in force as a file in YAML. */
    getProgramFile: (callOptions?: CallOptions) => get<ProgramFile>('/program/file', callOptions),

    /** Returns a proposed program as a file in YAML. */
    writeProgramFile: async (program: Program, callOptions?: CallOptions) =>
      read<ProgramFile>('/program/file/write', fields({ program }, { program: object }), callOptions),

    /** Uploads a picture of at most 5 MB for the program. Uploading it again changes nothing. */
    uploadPicture: async (file: Blob, callOptions: CallOptions = {}) =>
      post<UploadedPicture>(
        '/pictures',
        { data: toBase64(new Uint8Array(await check(picture, file, 'the file').arrayBuffer())) },
        { timeoutMs: UPLOADING_MS, ...callOptions },
      ),

    /** Returns the program that a file says, or the problems of the file with their lines. */
    readProgramFile: async (file: string, callOptions: CallOptions = {}) =>
      read<ProgramFileRead>('/program/file/read', fields({ text: file }, { text }), {
        timeoutMs: READING_MS,
        ...callOptions,
      }),
  };
}

/** `Uint8Array.prototype.toBase64` is not everywhere yet. */
function toBase64(bytes: Uint8Array): string {
  const STEP = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}
