import type { Cause, MovementKind, MemberSort } from '@loyalty/sdk/admin';
import type { Format } from '../format.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const peopleOf = (n: number, f: Format) => f.plural(n, { one: '1 person', other: `${f.number(n)} people` });

/** The texts of the members' pages in English, in whole sentences. */
export const en = {
  // The list
  find: 'Find a member',
  findHint: 'Name, code or e-mail',
  clearText: 'Clear',
  people: peopleOf,
  peopleShown: (n: number, f: Format) => `${peopleOf(n, f)} shown, and more`,
  shownOf: (n: number, total: number, f: Format) => `${f.number(n)} of ${f.number(total)} shown`,
  shownOfMany: (n: number, f: Format) => `${f.number(n)} shown`,
  showMore: 'Show more',
  exportList: 'Export as CSV',
  exporting: 'Exporting…',
  exported: (name: string) => `The list is in your downloads: ${name}`,
  columns: { name: 'Name', tier: 'Tier', points: 'Points', spent: 'Spent', bought: 'Last purchase' },
  pointsWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  order: 'Order',
  sortBy: (order: string) => `Order: ${order}`,
  sorts: {
    newest: 'Newest first',
    oldest: 'Oldest first',
    bought: 'Last purchase first',
    spent: 'Most spent first',
    name: 'By name',
  } satisfies Record<MemberSort, string>,
  filters: {
    tier: 'Tier',
    anyTier: 'Any tier',
    noTier: 'No tier',
    state: 'State',
    anyState: 'Any state',
    points: 'Points',
    bought: 'Last purchase',
    ending: 'Points ending soon',
    anyEnding: 'Ending at any time',
    endingWithin: (days: number, f: Format) => `Points ending within ${f.number(days)} days`,
    atLeast: 'At least',
    atMost: 'At most',
    from: 'From',
    to: 'To',
    pointsRange: (min: number | undefined, max: number | undefined, f: Format): string | null =>
      min === undefined
        ? max === undefined
          ? null
          : `Up to ${pointsOf(max, f)}`
        : max === undefined
          ? `At least ${pointsOf(min, f)}`
          : `${f.number(min)} to ${pointsOf(max, f)}`,
    boughtRange: (from: string | undefined, to: string | undefined, f: Format): string | null =>
      from === undefined
        ? to === undefined
          ? null
          : `Bought until ${f.day(to)}`
        : to === undefined
          ? `Bought since ${f.day(from)}`
          : `Bought ${f.day(from)} to ${f.day(to)}`,
  },
  apply: 'Apply',
  clearFilter: 'Clear',
  clearFilters: 'Clear filters',
  clearAll: 'Show everybody',
  noMembers: 'Nobody is here yet',
  noMembersText:
    'People appear here with their first purchase: record one at the till with an e-mail address, and its points wait for them.',
  toTill: 'To the till',
  nobodyMatches: 'Nobody meets these filters',
  nobodyMatchesText: 'Take one of the filters away, or show everybody.',
  nobodyFound: (text: string) => `Nobody found for “${text}”`,
  nobodyFoundText:
    'Search by the nine digits of the card, the beginning of an e-mail address, or the beginnings of the words of a name. Filters count too.',
  addressText: 'This address can buy without an account: the points wait until the person joins.',
  recordForAddress: 'Record a purchase',

  // A member's page
  erasedName: 'Erased person',
  unknownTitle: 'Nobody here has this address',
  unknownText: 'The link may be mistyped, or it belongs to another shop.',
  toList: 'All members',
  card: 'The card',
  codePicture: (code: string) => `The code ${code} as a picture to scan`,
  copyEmail: 'Copy the e-mail address',
  copyCode: 'Copy the code',
  copied: 'Copied',
  notCopied: 'The browser does not allow copying here.',
  about: 'Person',
  email: 'E-mail',
  phone: 'Phone',
  birthday: 'Birthday',
  joined: 'Joined',
  left: 'Left',
  invited: 'Invited',
  lastPurchase: 'Last purchase',
  none: '–',
  memberSince: (day: string) => `Member since ${day}`,
  strips: {
    invited: (day: string | null) =>
      `This person has not joined. The points wait${day === null ? '' : `; the last invitation went out on ${day}`}.`,
    left: (day: string) =>
      `Left the program on ${day}. Purchases earn nothing until this person joins again.`,
    blocked: (day: string, reason: string | null) =>
      reason === null ? `Blocked since ${day}.` : `Blocked since ${day}: ${reason}`,
    erased: 'This person was erased. The books stay: purchases and points without a name.',
    negative:
      'Below zero, because a purchase was taken back after its points were spent. The next points pay it off.',
  },
  balance: 'Balance',
  endsFirst: (n: number, day: string, f: Format) =>
    `${f.number(n)} ${f.plural(n, { one: 'ends', other: 'end' })} on ${day}`,
  endsNever: 'Points do not end in this program.',
  endsNothing: 'No points that end.',
  endsTable: 'What ends when',
  endsDay: 'Month',
  endsLater: 'Later',
  tier: 'Tier',
  noTierYet: 'No tier yet',
  highestTier: 'The highest tier',
  pinned: 'Pinned',
  pinnedText: 'Pinned by staff: purchases and time do not change it.',
  tierExpired: 'Its period is over: it counts again after the next purchase.',
  tierUntil: (day: string) => `Decided again on ${day}`,
  reachedOn: (day: string) => `Reached on ${day}`,
  reachedBy: 'with this purchase',
  multiplier: (factor: string) => `Points × ${factor}`,
  progress: (done: string, threshold: string, name: string) => `${done} of ${threshold} to ${name}`,
  inAll: 'In all',
  spent: 'Spent',
  purchases: 'Purchases',
  earned: 'Earned',
  traded: 'Traded',
  averagePurchase: 'A purchase on average',

  // Codes
  codes: 'Codes',
  codesReady: (n: number, f: Format) => `${f.number(n)} ready to use`,
  noCodes: 'No codes yet',
  noCodesText: 'Codes that the member buys with points, or is given, appear here.',
  codeUntil: (day: string) => `until ${day}`,
  codeEnded: (state: string, day: string) => `${state} on ${day}`,
  codeGiven: 'Given by the program',
  codeCost: (points: string) => `Cost ${points}`,
  olderCodes: (n: number, f: Format) =>
    f.plural(n, { one: 'Show one ended code', other: `Show ${f.number(n)} ended codes` }),

  // History
  history: 'History',
  kinds: {
    purchase: 'Purchase',
    return: 'Return',
    exchange: 'Code bought',
    give_back: 'Code given back',
    usage: 'Code used',
    reward: 'Gift',
    adjustment: 'Adjustment',
    merge: 'Merge',
    expiry: 'Expired points',
  } satisfies Record<MovementKind, string>,
  /** After the name of a benefit. */
  kindsShort: { exchange: 'bought', give_back: 'given back', usage: 'used', reward: 'gift' } as Partial<
    Record<MovementKind, string>
  >,
  balanceAfter: (balance: string) => `Balance ${balance}`,
  recordPurchase: 'Record a purchase',
  kindFilter: 'Kind',
  allKinds: 'All',
  kindsOf: {
    purchase: 'Purchases',
    return: 'Returns',
    exchange: 'Codes bought',
    usage: 'Codes used',
    give_back: 'Given back',
    reward: 'Gifts',
    adjustment: 'Adjustments',
    expiry: 'Expired',
  } as Partial<Record<MovementKind, string>>,
  columnsOfHistory: { when: 'When', what: 'What', amount: 'Amount', points: 'Points', balance: 'Balance' },
  emptyHistory: 'Nothing has happened yet',
  emptyHistoryText: 'The first purchase, gift or code appears here.',
  emptyKind: 'Nothing of this kind yet',
  register: (id: string) => `register ${id}`,
  branch: (id: string) => `branch ${id}`,
  doublePoints: 'double points',
  then: 'then',
  noFactors: 'How this was computed was not kept.',
  version: (n: number) => `Program version ${n}`,
  movement: (id: string) => `Movement ${id}`,
  externalId: (id: string) => `Your id ${id}`,
  returned: (amount: string, of: string) => `${amount} of ${of} returned`,
  allReturned: 'All returned',
  toPurchase: 'Show the purchase',
  copyLink: 'Copy a link',
  linkCopied: 'The link to this line is copied.',
  open: 'Details',
  lookingFor: 'Looking for that line…',
  notFoundLine: 'That line is not in this history.',
  by: (cause: Cause): string => {
    switch (cause.kind) {
      case 'staff':
        return `By ${cause.name || cause.email || 'staff'}`;
      case 'key':
        return cause.name === null ? 'By a program of the shop' : `By the key “${cause.name}”`;
      case 'member':
        return 'By the member';
      case 'command_line':
        return 'On the command line';
      case 'program':
        return 'By the rules of the program';
    }
  },

  // Changes by staff
  changes: 'Changes by staff',
  noChanges: 'Nobody of the shop has changed anything here',
  showChanges: 'Show who did what',
  fromNetwork: (network: string) => `from ${network}`,
  yes: 'yes',
  no: 'no',
  didWhat: (action: string): string =>
    (
      {
        'points.adjust': 'Adjusted the points',
        'member.block': 'Blocked',
        'member.unblock': 'Unblocked',
        'member.edit': 'Edited the profile',
        'member.erase': 'Erased the person',
        'member.export': 'Exported the person’s data',
        'member.invite': 'Sent the invitation again',
        'tier.pin': 'Pinned the tier',
        'tier.unpin': 'Unpinned the tier',
        'voucher.give_back': 'Gave a code back',
        'voucher.redeem': 'Redeemed a code',
        'purchase.record': 'Recorded a purchase',
        'purchase.reverse': 'Took a purchase back',
      } as Record<string, string>
    )[action] ?? action,
  fieldOf: (field: string): string =>
    (
      {
        points: 'Balance',
        blocked: 'Blocked',
        reason: 'Reason',
        username: 'Name',
        phone: 'Phone',
        birth_date: 'Birthday',
        level: 'Tier',
        pinned: 'Pinned',
        amount: 'Amount',
        state: 'State',
        codes: 'Codes',
        expires_on: 'Last day',
      } as Record<string, string>
    )[field] ?? field,
  changedField: (field: string, before: string | null, after: string) =>
    before === null ? `${field}: ${after}` : `${field}: ${before} → ${after}`,
  reasonSaid: (reason: string) => `“${reason}”`,
};
