import type { Issue } from './invalid-request.ts';

/**
 * Returns what to do about the first issue of a request, for `X-Error-Hint`: what is wrong, and `advice` about the field.
 * Contains nothing that was sent.
 */
export function hintAbout(issues: readonly Issue[], advice?: string): string {
  const [first] = issues;
  const sentences = [first === undefined ? 'Check the request.' : sentenceAbout(first, advice !== undefined)];
  if (advice !== undefined) sentences.push(advice);
  if (issues.length > 1) sentences.push(`"detail" lists ${issues.length} problems.`);
  return sentences.join(' ');
}

function sentenceAbout({ loc: [part, ...path], msg, type }: Issue, hasAdvice: boolean): string {
  const name = path.join('.');
  if (path.length === 0) {
    if (type === 'missing') return 'Send a JSON object in the body.';
    if (type === 'model_attributes_type') return 'The body must be a JSON object: {"name": value}.';
  }
  if (part === 'header') return sentenceAboutHeader(capitalise(name), msg, type);
  const field = part === 'body' ? `"${name}"` : `"${name}" in the ${part}`;
  switch (type) {
    case 'missing':
      return part === 'body' ? `Add ${field} to the JSON body.` : `Add ${field}.`;
    case 'int_type':
      return `Send ${field} as a whole number without quotes.`;
    case 'int_parsing':
      return `${field} must be a whole number.`;
    case 'int_from_float':
      return `${field} must be a whole number, without decimals.`;
    case 'int_parsing_size':
      return `${field} is too large.`;
    case 'string_type':
      return `Send ${field} as a text, in double quotes.`;
    case 'string_pattern_mismatch':
      // A regular expression helps nobody who is told in words.
      return hasAdvice ? `${field} has the wrong form.` : `${field} ${demandOf(msg)}`;
    default:
      return `${field} ${demandOf(msg)}`;
  }
}

/** "Input should be less than or equal to 100" as the rest of a sentence. */
function demandOf(msg: string): string {
  const text = msg.replace(/\.$/, '');
  const demand = text.replace(/^(Input|String|List) should /, 'must ');
  return demand === text ? `is not valid: ${text.replace(/^Value error, /, '')}.` : `${demand}.`;
}

function sentenceAboutHeader(name: string, msg: string, type: string): string {
  if (type === 'missing') return `Send the header ${name}.`;
  // The value of a header is a text, so there were two.
  if (type === 'string_type') return `Send the header ${name} only once.`;
  if (type === 'int_parsing') return `The header ${name} must be a whole number.`;
  return `The header ${name} ${demandOf(msg)}`;
}

function capitalise(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
