import { ERROR_CODES, type ErrorCode } from '#problems/error-codes.ts';

/** The part of an operation that says which refusals it can answer with. */
interface RefusingOperation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, object>>;
}

/** The codes that any operation can answer with. The reference describes them once. */
const ANY_TIME = [
  'body_too_large',
  'rate_limited',
  'overloaded',
  'unavailable',
  'unknown_outcome',
  'internal',
] as const satisfies ErrorCode[];

const RECORD = ['paused', 'invalid_amount', 'beyond_counting', 'not_eligible'] as const;
const CODE_AT_THE_TILL = ['benefit_used', 'voucher_expired', 'voucher_given_back', 'voucher_void'] as const;

/** The codes of the rules behind each operation. All others follow from its parameters, its body and its credential. */
const OF_OPERATION: Readonly<Record<string, readonly ErrorCode[]>> = {
  recordConsumptionByClientCode: [
    ...RECORD,
    'duplicate_external_id',
    'order_open',
    'order_cancelled',
    'not_a_client_code',
  ],
  recordConsumptionByEmail: [...RECORD, 'duplicate_external_id', 'order_open', 'order_cancelled'],
  previewConsumption: [...RECORD, 'not_a_client_code'],
  confirmConsumption: ['unconfirmed'],
  reverseConsumption: ['already_reversed', 'invalid_amount', 'points_spent'],
  previewRedemptionCode: CODE_AT_THE_TILL,
  previewRedemptionCodeV2: CODE_AT_THE_TILL,
  redeemBenefit: [...CODE_AT_THE_TILL, 'not_a_voucher_code', 'undone'],
  putOrder: [
    'invalid_amount',
    'invalid_paid_at',
    'currency',
    'not_eligible',
    'buyer',
    'duplicate_external_id',
    'order_cancelled',
    'order_conflict',
    'not_a_client_code',
    'not_a_voucher_code',
    'in_progress',
  ],
  previewOrder: [...RECORD, 'currency', 'not_a_client_code'],
  previewEarning: ['paused', 'invalid_amount', 'beyond_counting', 'unknown_level'],
  holdVoucher: [...CODE_AT_THE_TILL, 'not_a_voucher_code', 'held', 'too_many_holds'],
  undoRedemption: ['undo_too_late', 'never_used', 'erased'],
  listEvents: ['cursor_lost'],
  exchangeBenefit: ['benefit_not_valid', 'sold_out', 'points_short', 'not_a_member', 'too_many_codes'],
  editMyAccount: ['not_a_member'],
  chooseMyMails: ['not_a_member'],
  verifyOneTimeCode: ['code_refused'],
  verifySignInLink: ['code_refused'],
  refreshSession: ['refresh_refused'],
  getMyLevel: ['no_level'],
};

const OF_PARAMETER: Readonly<Record<string, readonly ErrorCode[]>> = {
  'X-Commerce-Id': ['unknown_commerce', 'missing_commerce_id', 'not_a_commerce_id'],
  'Idempotency-Key': ['in_progress', 'key_reused'],
  client_code: ['not_a_client_code'],
  client_benefit_code: ['not_a_voucher_code'],
};

const CREDENTIAL = ['missing_credential', 'wrong_credential'] as const;
/** Any key may call these. All other calls of keys need a scope. */
const OF_ANY_KEY: ReadonlySet<string> = new Set(['listBenefits', 'getBenefit']);
/** Paths say what they identify. Everything else that is not found is the commerce. */
const IDENTIFIES = /_id$|_code$/;

/** Says once, for all operations, what can happen to any call. */
export const REFUSALS_OF_ALL = `Every refusal has its reason as one word in \`X-Error-Code\`. \`docs/errors.md\` explains each word. These can come from any operation:

${ANY_TIME.map((code) => `- ${ERROR_CODES[code].statuses.join(', ')} \`${code}\`: ${ERROR_CODES[code].means} ${ERROR_CODES[code].next}`).join('\n')}`;

/**
 * Adds to each refusal of an operation the codes that it can have, and the 409 of calls that are recorded once. `headers` are
 * those of every refusal.
 */
export function describeRefusals<T extends RefusingOperation>(operation: T, headers: object): T {
  const codes = codesOf(operation);
  const responses = Object.entries({ ...operation.responses, ...conflictOf(operation, codes) })
    .map(([status, response]): [string, object] => {
      if (Number(status) < 400) return [status, response];
      const own = codes.filter((code) => isOf(code, Number(status)));
      const { description = '', headers: others = {} } = response as {
        description?: string;
        headers?: object;
      };
      const text = own.length === 0 ? description : `${description} ${listCodes(own)}`;
      return [status, { ...response, description: text, headers: { ...others, ...headers } }];
    })
    .toSorted(([a], [b]) => Number(a) - Number(b));
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** Returns the codes that an operation can answer with, without those that any call can get. */
export function codesOf(operation: RefusingOperation): ErrorCode[] {
  const { operationId = '', parameters = [], requestBody, responses = {} } = operation;
  const names = parameters.filter((one) => one.in !== 'query').map(({ name }) => name);
  const own = OF_OPERATION[operationId] ?? [];
  const isSpecific = own.some((code) => isOf(code, 401));
  return [
    ...own,
    ...names.flatMap((name) => OF_PARAMETER[name] ?? []),
    ...('401' in responses && !isSpecific ? CREDENTIAL : []),
    ...('401' in responses && !names.includes('X-Commerce-Id') && !OF_ANY_KEY.has(operationId)
      ? (['scope'] as const)
      : []),
    ...('404' in responses &&
    (names.some((name) => IDENTIFIES.test(name)) || !names.includes('X-Commerce-Id'))
      ? (['not_found'] as const)
      : []),
    ...('422' in responses ? (['invalid'] as const) : []),
    ...(requestBody === undefined ? [] : (['wrong_content_type', 'not_json'] as const)),
  ].filter((code, index, all) => all.indexOf(code) === index);
}

function isOf(code: ErrorCode, status: number): boolean {
  return (ERROR_CODES[code].statuses as readonly number[]).includes(status);
}

function listCodes(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function conflictOf({ responses = {} }: RefusingOperation, codes: readonly ErrorCode[]): object {
  if ('409' in responses || !codes.some((code) => isOf(code, 409))) return {};
  const { content } = (responses['400'] ?? responses['404'] ?? {}) as { content?: object };
  const description = codes.includes('duplicate_external_id')
    ? 'The same call is still running, or another purchase has this `external_id`.'
    : codes.includes('undone')
      ? 'The same call is still running, or the use that it names was undone.'
      : 'The same call is still running.';
  return { 409: { description, ...(content && { content }) } };
}
