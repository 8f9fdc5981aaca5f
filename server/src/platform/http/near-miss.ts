import { distanceOfTexts } from '#text/near-name.ts';

const VERSION = /^v\d$/;

/** A path that callers can use, and its methods. */
export interface KnownPath {
  /** As it is published: `/v1/clients/{client_code}`. */
  readonly path: string;
  readonly methods: readonly string[];
}

/** A longer name is not a typing mistake. The limits also bound the work. */
const MOST_CHARACTERS = 120;
const MOST_SEGMENTS = 8;
const LONGEST_SEGMENT = 24;
/** The most that a path and its guess may differ. */
const FARTHEST = 3;
/** The cost of a parameter that does not look like one: an id without any digit. */
const PLAIN_PARAMETER = 1.5;
/** A segment too many or too few counts as so many wrong letters. */
const WHOLE_SEGMENT = 2;

/**
 * Creates the guess of which path a caller meant who called one that does not exist: `POST /v1/consumptions/client-code`
 * for `/v1/consumption/client-code`. Returns undefined if nothing is near, or nothing that takes
 * the method where it must. The guess contains nothing that was sent.
 */
export function createPathGuess(
  known: () => readonly KnownPath[],
): (
  method: string,
  path: string,
  mustHaveMethod: boolean,
) => { readonly method: string; readonly path: string } | undefined {
  let paths: { segments: string[]; path: string; methods: readonly string[] }[] | undefined;
  return (method, path, mustHaveMethod) => {
    if (path.length > MOST_CHARACTERS) return undefined;
    const segments = segmentsOf(meantBy(path.toLowerCase().replaceAll('%2f', '/'), method));
    if (segments.length === 0 || segments.length > MOST_SEGMENTS) return undefined;
    // A version alone is near to nothing.
    if (segments.length === 1 && VERSION.test(segments[0]!)) return undefined;
    if (segments.some((segment) => segment.length > LONGEST_SEGMENT)) return undefined;
    paths ??= known().map((one) => ({ ...one, segments: segmentsOf(one.path) }));

    const memory = new Map<string, number>();
    let best: { rank: number; method: string; path: string } | undefined;
    for (const one of paths) {
      if (Math.abs(segments.length - one.segments.length) * WHOLE_SEGMENT > FARTHEST) continue;
      const hasMethod = one.methods.includes(method);
      if (mustHaveMethod && !hasMethod) continue;
      const distance = distanceOfPaths(segments, one.segments, memory);
      // Of two that are equally near, the one with the method.
      const rank = distance + (hasMethod ? 0 : 0.5);
      if (distance > FARTHEST || (best !== undefined && rank >= best.rank)) continue;
      best = { rank, method: hasMethod ? method : one.methods[0]!, path: one.path };
    }
    return best;
  };
}

/** Paths under names that other services use. One that begins with a method is meant for that method only. */
const OTHER_PATHS: Readonly<Record<string, string>> = {
  '/v1/login': '/v1/auth/otp/request',
  '/v1/auth/login': '/v1/auth/otp/request',
  '/v1/auth/signin': '/v1/auth/otp/request',
  '/v1/auth/token': '/v1/auth/otp/verify',
  '/v1/clients': '/v1/clients/list',
  'POST /v1/consumptions': '/v1/consumptions/client-code',
  'GET /v1/benefits': '/v1/benefits/list',
  '/v1/points': '/v1/me',
  '/v1/balance': '/v1/me',
  '/status': '/healthz',
  '/ping': '/healthz',
  '/v1/health': '/healthz',
};
/** Words of other services, in the second place of a path. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  members: 'clients',
  customers: 'clients',
  users: 'clients',
  purchases: 'consumptions',
  orders: 'consumptions',
  transactions: 'consumptions',
  rewards: 'benefits',
  coupons: 'benefits',
  vouchers: 'benefits',
};
/** Things under other names that have a place of their own here, whatever version or id is sent with them. */
const OTHER_THINGS: readonly (readonly [sent: RegExp, meant: string])[] = [
  [/^\/v\d\/(refunds|reversals|returns)(\/|$)/, '/v1/consumptions/{consumption_id}/reversal'],
  [/^\/v\d\/(coupons|vouchers)\/\d+$/, '/v2/benefits/preview/{client_benefit_code}'],
];

/** Returns the path that is meant by one with the words of other services, or the path itself. */
function meantBy(path: string, method: string): string {
  const plain = path.replace(/\/$/, '');
  const thing = OTHER_THINGS.find(([sent]) => sent.test(plain));
  if (thing !== undefined) return thing[1];
  const [start = '', version = '', word = '', ...rest] = plain.split('/');
  const other = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  const said = other === undefined ? plain : [start, version, other, ...rest].join('/');
  return OTHER_PATHS[`${method} ${said}`] ?? OTHER_PATHS[said] ?? path.replace(plain, () => said);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Counts wrong letters over all segments. */
function distanceOfPaths(
  given: readonly string[],
  known: readonly string[],
  memory: Map<string, number>,
): number {
  let row = known.map((_, j) => (j + 1) * WHOLE_SEGMENT);
  for (const [i, segment] of given.entries()) {
    let diagonal = i * WHOLE_SEGMENT;
    let left = (i + 1) * WHOLE_SEGMENT;
    row = row.map((above, j) => {
      left = Math.min(
        above + WHOLE_SEGMENT,
        left + WHOLE_SEGMENT,
        diagonal + distanceOfSegments(segment, known[j]!, memory),
      );
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? given.length * WHOLE_SEGMENT;
}

function distanceOfSegments(given: string, known: string, memory: Map<string, number>): number {
  if (given === known) return 0;
  const isVersion = VERSION.test(given);
  if (known.startsWith('{')) {
    if (isVersion) return FARTHEST + 1;
    return /[\d:{]/.test(given) ? 0 : PLAIN_PARAMETER;
  }
  // Of several versions the nearest is meant: the last one by who asks for one that is not there yet.
  if (isVersion && VERSION.test(known)) return 1 + Math.abs(Number(given[1]) - Number(known[1])) / 10;
  if (Math.abs(given.length - known.length) > FARTHEST) return FARTHEST + 1;
  const key = `${given}/${known}`;
  const kept = memory.get(key);
  if (kept !== undefined) return kept;
  const distance = distanceOfTexts(given, known);
  // With half of the letters wrong it is another word.
  const counted = distance * 2 >= known.length ? FARTHEST + 1 : distance;
  memory.set(key, counted);
  return counted;
}
