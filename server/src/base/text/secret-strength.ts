/**
 * Returns whether a key looks like the output of a random generator: at least about 128 bits by a simple estimate. A
 * person's words, repetitions and sequences count little. This finds careless keys, not clever ones.
 */
export function looksRandom(key: string): boolean {
  return estimateBits(key) >= ENOUGH_BITS;
}

/** A random key of exactly 128 bits is estimated lower if it happens to contain short sequences: by up to 28 bits. */
const ENOUGH_BITS = 100;
const BITS_IN_WORDS = 1.5;

function estimateBits(key: string): number {
  const bits = isMadeOfWords(key) ? BITS_IN_WORDS : Math.log2(alphabetSize(key));
  let surprising = 0;
  for (let i = 0; i < key.length; i++)
    if (!continuesSequence(key, i) && !repeatsEarlier(key, i)) surprising += 1;
  return surprising * bits;
}

/** Most pairs of neighbouring letters are common in English. Of random letters, a seventh are. */
function isMadeOfWords(key: string): boolean {
  if (isHex(key)) return false;
  let pairs = 0;
  let common = 0;
  for (let i = 1; i < key.length; i++) {
    const pair = key.slice(i - 1, i + 1);
    if (!/^[a-zA-Z]{2}$/.test(pair)) continue;
    pairs += 1;
    // A word has no capital after a small letter.
    if (!/^[a-z][A-Z]$/.test(pair) && COMMON_PAIRS.has(pair.toLowerCase())) common += 1;
  }
  return pairs >= key.length * 0.45 && common >= pairs * 0.55;
}

const COMMON_PAIRS: ReadonlySet<string> = new Set(
  (
    'th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar ve ra ' +
    'ld ur ro co ri io ic ll be ma ne me no ta el ec ce ch ho tr ly ee ss us ut om il la li di ct em ot ac so wi ge ' +
    'wa ad un ns ow id po pr pe sh ke ey fo lo wo rs ts ca ir mo ay am ck ss wn ui qu cr lt ty up od uc my du'
  ).split(' '),
);

/** Few generators write decimal digits alone, and few write more than two other characters. */
function alphabetSize(key: string): number {
  if (isHex(key)) return /[a-f]/i.test(key) ? 16 : 8;
  const classes: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^a-zA-Z\d]/, 2],
  ];
  return classes.reduce((sum, [pattern, size]) => sum + (pattern.test(key) ? size : 0), 0);
}

function isHex(key: string): boolean {
  return /^[\da-f-]+$/i.test(key);
}

/** `aaa`, `abc` and `321`, from the third character on, and rows of a keyboard. */
function continuesSequence(key: string, i: number): boolean {
  if (i < 2) return false;
  const step = key.charCodeAt(i) - key.charCodeAt(i - 1);
  if (Math.abs(step) <= 1 && step === key.charCodeAt(i - 1) - key.charCodeAt(i - 2)) return true;
  return KEYBOARD.includes(key.slice(i - 2, i + 1).toLowerCase());
}

const KEYBOARD = 'qwertyuiop asdfghjkl zxcvbnm';

/** The last four characters, or all of a shorter period, stood earlier in the key. */
function repeatsEarlier(key: string, i: number): boolean {
  return i >= 4 && key.indexOf(key.slice(i - 3, i + 1)) < i - 3;
}
