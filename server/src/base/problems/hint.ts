import type { Issue } from './invalid-request.ts';
import { whyNoSuchDay } from './no-such-day.ts';

/** The facts known about the field of the first issue of a request. */
export interface FieldContext {
  /** The advice of the schema. */
  readonly advice?: string | undefined;
  /** The value that was sent. It decides what is said, and is not repeated. */
  readonly value?: unknown;
  /** The name of another field that was sent, fit to be shown, which may be meant instead of the missing one. */
  readonly sentInstead?: string | undefined;
  /** The field, or the value of a choice, that may be meant by one that does not exist. */
  readonly meant?: string | undefined;
  /** Whether a parameter that does not exist is a field of the body. */
  readonly isInBody?: boolean;
}

/**
 * Returns what to do about the first issue of a request, for `X-Error-Hint`: what is wrong, and advice about the field.
 * Contains no value that was sent.
 */
export function hintAbout(issues: readonly Issue[], field: FieldContext = {}): string {
  const [first] = issues;
  const sentences = [first === undefined ? 'Check the request.' : sentenceAbout(first, field)];
  if (field.advice !== undefined) sentences.push(field.advice);
  if (issues.length > 1) sentences.push(`"detail" lists ${issues.length} problems.`);
  return sentences.join(' ');
}

function sentenceAbout({ loc: [part, ...path], msg, type }: Issue, context: FieldContext): string {
  const name = path.join('.');
  if (path.length === 0) {
    if (type === 'missing') return 'Send a JSON object in the body.';
    if (type === 'model_attributes_type') return 'The body must be a JSON object: {"name": value}.';
  }
  if (part === 'header') return sentenceAboutHeader(capitalise(name), msg, type);
  const field = part === 'body' ? `"${name}"` : `"${name}" in the ${part}`;
  const { value, sentInstead, meant } = context;
  switch (type) {
    case 'missing':
      if (sentInstead !== undefined) return `You sent "${sentInstead}": did you mean ${field}?`;
      return part === 'body' ? `Add ${field} to the JSON body.` : `Add ${field}.`;
    case 'extra_forbidden':
      if (context.isInBody === true) return `${field} is ignored there: send it in the JSON body.`;
      return `${field} is not a field of this call${meant === undefined ? '.' : `: did you mean "${meant}"?`}`;
    case 'literal_error':
      return `${field} ${demandOf(msg, type)}${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
    case 'int_type':
      return typeof value === 'string'
        ? `Send ${field} as a whole number without quotes.`
        : `${field} must be a whole number, not ${nameOfType(value)}.`;
    case 'int_parsing':
      return typeof value === 'string' && /^[+0]\d+$/.test(value)
        ? `${field} must begin with neither a zero nor a plus.`
        : `${field} must be a whole number.`;
    case 'date_parsing':
    case 'datetime_parsing':
      return whyNoSuchDay(value) ?? `${field} ${demandOf(msg, type)}`;
    case 'string_type':
      return `Send ${field} as a text, in double quotes.`;
    default:
      return `${field} ${demandOf(msg, type)}`;
  }
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : 'true or false';
}

/** The sentence about a wrong value, where the words of the contract do not make one. */
const DEMANDS: Readonly<Record<string, string>> = {
  int_from_float: 'must be a whole number, without decimals.',
  int_parsing: 'must be a whole number.',
  int_parsing_size: 'is too large.',
  // A regular expression helps nobody.
  string_pattern_mismatch: 'has the wrong form.',
  string_unicode:
    'has a character that cannot be stored: the character zero, or half of one outside the basic plane.',
  bool_parsing: 'must be true or false.',
  bool_type: 'must be true or false, without quotes.',
  model_attributes_type: 'must be a JSON object.',
  none_required: 'must be null.',
  list_type: 'must be a JSON array.',
};

/** Returns the rest of a sentence: "must be less than or equal to 100." for "Input should be less than or equal to 100". */
function demandOf(msg: string, type: string): string {
  const known = DEMANDS[type];
  if (known !== undefined) return known;
  const text = msg.replace(/\.$/, '');
  const demand = text.replace(/^(Input|String|List) should /, 'must ');
  if (demand !== text) return `${demand}.`;
  const noAddress = text.replace(/^value is not a valid email address: /, 'is not a valid e-mail address: ');
  return noAddress === text ? `is not valid: ${text.replace(/^Value error, /, '')}.` : `${noAddress}.`;
}

function sentenceAboutHeader(name: string, msg: string, type: string): string {
  if (type === 'missing') return `Send the header ${name}.`;
  // The value of a header is a text, so there were two.
  if (type === 'string_type') return `Send the header ${name} only once.`;
  return `The header ${name} ${demandOf(msg, type)}`;
}

function capitalise(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
