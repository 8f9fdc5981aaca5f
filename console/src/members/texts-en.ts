import type { Cause, MovementKind, MemberSort } from '@loyalty/sdk/admin';
import type { Format } from '../format.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const peopleOf = (n: number, f: Format) => f.plural(n, { one: '1 person', other: `${f.number(n)} people` });

/** The texts of the members' pages in English, in whole sentences. */
export const en = {
  // The list
  orders: 'Orders',
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
    name: 'By name',
  } as Record<MemberSort, string>,
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
  unknownTitle: 'This member is not in this shop',
  unknownText: 'The link may be mistyped, or it belongs to another shop.',
  toList: 'All members',
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
  stoppedMails: 'Wants no mail about',
  mailKinds: {
    invitation: 'waiting points',
    welcome: 'joining',
    expiring: 'points that end',
    birthday: 'the birthday',
    level: 'a new tier',
    reward: 'rewards',
  },
  memberSince: (day: string) => `Member since ${day}`,
  strips: {
    invited: (day: string | null) =>
      `This person has not joined. The points wait${day === null ? '' : `; the last invitation went out on ${day}`}.`,
    left: (day: string) =>
      `Left the program on ${day}. Purchases earn nothing until this person joins again.`,
    blocked: (day: string, reason: string | null) =>
      reason === null ? `Blocked since ${day}.` : `Blocked since ${day}: ${reason}`,
    erased: 'This person was erased. The books stay: purchases and points without a name.',
    bounce: (day: string) =>
      `The mailbox of this person did not exist on ${day}. Only sign-in codes are sent there.`,
    complaint: (day: string) =>
      `This person reported a mail as spam on ${day}. Only sign-in codes are sent there.`,
    negative:
      'Below zero, because a purchase was taken back after its points were spent. The next points pay it off.',
  },
  balance: 'Balance',
  waitsForShop: (n: number, f: Format) =>
    `${f.number(n)} more ${f.plural(n, { one: 'waits', other: 'wait' })} until the purchase is confirmed`,
  waitsUntil: (n: number, day: string, f: Format) =>
    `${f.number(n)} more ${f.plural(n, { one: 'waits', other: 'wait' })}; from ${day} on the first can be spent`,
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
  pinnedText: 'Pinned by staff: purchases and time do not change it.',
  tierExpired: 'Its period is over: it counts again after the next purchase.',
  tierUntil: (day: string) => `decided again on ${day}`,
  reachedOn: (day: string) => `Reached on ${day}`,
  reachedBy: 'with this purchase',
  multiplier: (factor: string) => `Points × ${factor}`,
  progress: (done: string, threshold: string, name: string) => `${done} of ${threshold} to ${name}`,
  inAll: 'Lifetime',
  spent: 'Spent',
  purchases: 'Purchases',
  earned: 'Earned',
  traded: 'Traded',

  // Codes
  codes: 'Codes',
  codesReady: (n: number, f: Format) => `${f.number(n)} ready to use`,
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
    correction: 'Purchase changed',
    return: 'Return',
    exchange: 'Code bought',
    give_back: 'Code given back',
    usage: 'Code used',
    undo: 'Use undone',
    reward: 'Gift',
    adjustment: 'Adjustment',
    expiry: 'Expired points',
    available: 'Points can be spent',
  } satisfies Record<MovementKind, string>,
  /** After the name of a benefit. */
  kindsShort: {
    exchange: 'bought',
    give_back: 'given back',
    usage: 'used',
    undo: 'good again',
    reward: 'gift',
  } as Partial<Record<MovementKind, string>>,
  balanceAfter: (balance: string) => `Balance ${balance}`,
  recordPurchase: 'Record a purchase',
  kindFilter: 'Kind',
  allKinds: 'All',
  kindsOf: {
    purchase: 'Purchases',
    correction: 'Changes of purchases',
    return: 'Returns',
    exchange: 'Codes bought',
    usage: 'Codes used',
    undo: 'Uses undone',
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
  unknownBranch: (id: string) => `unknown branch ${id}`,
  doublePoints: 'double points',
  howItCame: 'How it came about',
  andThen: 'then',
  noFactors: 'How this was computed was not kept.',
  version: (n: number) => `Program version ${n}`,
  movement: (id: string) => `Movement ${id}`,
  externalId: (id: string) => `Your id ${id}`,
  returned: (amount: string, of: string) => `${amount} of ${of} returned`,
  allReturned: 'All returned',
  toPurchase: 'Show the purchase',
  copyLink: 'Copy a link',
  linkCopied: 'The link to this line is copied.',
  lookingFor: 'Looking for that line…',
  notFoundLine: 'That line is not in this history.',
  by: (cause: Cause): string => {
    if (cause.kind === 'staff') return `By ${cause.name || cause.email || 'staff'}`;
    if (cause.kind === 'key')
      return cause.name === null ? 'By another system of the shop' : `By the key “${cause.name}”`;
    return {
      member: 'By the member',
      command_line: 'On the command line',
      program: 'By the rules of the program',
    }[cause.kind];
  },

  // Changes by staff
  changes: 'Changes by staff',
  noChanges: 'Nobody of the shop has changed anything here.',
  fromNetwork: (network: string) => `from ${network}`,
  yes: 'yes',
  no: 'no',
  actions: {
    'points.adjust': 'Adjusted the points',
    'member.vouch': 'Signed in through the shop',
    'member.block': 'Blocked',
    'member.unblock': 'Unblocked',
    'member.data': 'Exported the data',
    'member.edit': 'Edited the profile',
    'member.erase': 'Erased the person',
    'member.invite': 'Sent the invitation again',
    'member.mail': 'Let mails go to this person again',
    'tier.pin': 'Pinned the tier',
    'tier.unpin': 'Unpinned the tier',
    'voucher.give_back': 'Gave a code back',
    'voucher.redeem': 'Redeemed a code',
    'voucher.undo_use': 'Undid the use of a code',
    'purchase.record': 'Recorded a purchase',
    'purchase.reverse': 'Returned a purchase',
  } as Readonly<Record<string, string>>,
  reasonSaid: (reason: string) => `“${reason}”`,

  acts: {
    adjust: 'Adjust points',
    more: 'More that can be done',
    menu: {
      adjust: 'Adjust points',
      edit: 'Edit the profile',
      pin: 'Pin a tier',
      unpin: 'Unpin the tier',
      invite: 'Send the invitation again',
      lift: 'Let mails go again',
      data: 'Export this person’s data',
      block: 'Block',
      unblock: 'Unblock',
      erase: 'Erase this person',
    },
    undo: 'Undo',
    save: 'Save',
    reason: 'Reason',
    reasonOptional: 'Reason (optional)',
    reasonShown: 'The member reads it. One line, up to 200 characters.',
    reasonForStaff: 'For staff only: it is kept with your name. One line, up to 200 characters.',
    reasonNeeded: 'Say why, in a few words.',
    unknown:
      'No answer came, so it is not known whether it was done. What you typed is still here. Look at the page behind this dialog, then try again.',
    unknownKeyed:
      'No answer came, so it is not known yet whether this counted. Until it is known, nothing of it can be changed.',
    again: 'Try again: it counts once',

    adjustTitle: (name: string) => `Adjust the points of ${name}`,
    direction: 'Give or take',
    directions: { give: 'Give', take: 'Take' },
    give: (points: string) => `Give ${points}`,
    take: (points: string) => `Take ${points}`,
    pointsNeeded: 'Enter how many points.',
    tooMany: (points: string) => `Only ${points} can be taken. An adjustment leaves no debt.`,
    tooManyNow: 'Meanwhile there are fewer points than that. The balance above is the new one.',
    endsBy: (mode: 'none' | 'rolling' | 'accumulated', months: number, f: Format) =>
      mode === 'none'
        ? 'In this program points do not end.'
        : mode === 'rolling'
          ? `By the program they end after ${f.plural(months, { one: 'one month', other: `${f.number(months)} months` })}.`
          : 'By the program they end together with the rest of the balance.',
    dayByHand: 'Set their last day by hand',
    lastDay: 'Last day',
    dayNeeded: 'Choose the last day, or let the program decide.',
    takesFirst: 'Points that end first are taken first.',
    freshCode: (points: string) => `More than ${points} points ask for a fresh code from your mailbox.`,
    adjusted: (change: string, balance: string, f: Format, n: number) =>
      `${change} ${f.plural(Math.abs(n), { one: 'point', other: 'points' })}. The balance is ${balance}.`,

    blockTitle: (name: string) => `Block ${name}`,
    block: 'Block',
    blockEffects: [
      'Purchases earn nothing, and nothing can be bought with points.',
      'Points and codes stay. Codes can still be used.',
      'The tier stands still.',
      'It can be undone at any time.',
    ],
    blocked: (name: string) => `${name} is blocked.`,
    unblockTitle: (name: string) => `Unblock ${name}`,
    unblock: 'Unblock',
    unblockText: 'Purchases earn again from now on. The tier is settled by the rules of today.',
    unblocked: (name: string) => `${name} is no longer blocked.`,

    pinTitle: (name: string) => `Pin a tier for ${name}`,
    pinText: 'A pinned tier stays until somebody unpins it. The rules go on beneath it and show again then.',
    pinGives:
      'The benefits of the tiers on the way are handed out now, once. They stay if the tier is unpinned.',
    pinTo: (tier: string) => `Pin to ${tier}`,
    pinned: (name: string, tier: string) => `${name} is pinned to ${tier}.`,
    unpinTitle: (name: string) => `Unpin the tier of ${name}`,
    unpin: 'Unpin',
    unpinText:
      'The member then has the tier that the rules give: purchases since the pin have counted beneath it.',
    unpinned: (tier: string) => `The tier moves again. It is now: ${tier}.`,

    editTitle: 'Edit the profile',
    name: 'Name',
    phoneHint: 'With the country, such as +351 912 345 678.',
    phoneWrong: 'Begin with + and the country, then 7 to 15 digits in all.',
    birthdayHint: 'A change may decide when the next birthday gift comes.',
    emailStays: 'The e-mail address is the account: only the person can prove another one.',
    edited: 'The profile is saved.',
    editUndone: 'The profile is as it was before.',
    nothingChanged: 'Nothing was changed.',

    inviteTitle: 'Send the invitation again',
    inviteText: (email: string) =>
      `${email} gets the invitation once more, at most once a day. No automatic one follows for 30 days.`,
    invite: 'Send the invitation',
    inviteSent: (email: string) => `The invitation is on its way to ${email}.`,

    liftTitle: 'Let mails go again',
    liftText: (email: string) =>
      `Mails go to ${email} again, from every shop of this service. If the mailbox still does not exist, the next one stops them again.`,
    lift: 'Let them go',
    lifted: (email: string) => `Mails go to ${email} again.`,

    dataSaved: (name: string) => `Everything that is stored about this person is in your downloads: ${name}`,

    eraseTitle: (name: string) => `Erase ${name}`,
    erase: 'Erase for good',
    goes: 'What goes',
    goesPoints: (points: string) => `The balance: ${points}`,
    goesMore: [
      'Name, e-mail, phone and birthday',
      'Codes that were not used',
      'Sign-ins, cards in wallets, texts that staff typed',
    ],
    stays: 'What stays',
    staysMore: [
      'Purchases and points in the books, without a name',
      'That somebody was erased, by whom and why',
    ],
    eraseFinal: 'This cannot be undone. Anyone who joins again with this address starts from zero.',
    confirm: (code: string) => `Type ${code} to confirm`,
    confirmWrong: (code: string) => `This is not it. Type ${code}.`,
    eraseReason: 'It stays in the books: leave out the name, the address and the phone.',
    reasonNames:
      'The reason names the person. It is kept after the person is erased: leave out the name, the address and the phone.',
    erased: 'The person is erased. The books stay.',

    returnAll: 'Return all',
    returnPart: 'Return a part',
    returnTitle: (amount: string) => `Return ${amount}`,
    returnPartTitle: 'Return a part of a purchase',
    returnIt: 'Return',
    returnAmount: (amount: string) => `Return ${amount}`,
    returnOf: (amount: string, at: string) => `The purchase of ${amount} on ${at}.`,
    returnedBefore: (amount: string) => `${amount} of it was returned before.`,
    amountOf: (left: string) => `Amount to return, at most ${left}`,
    amountWrong: (left: string) => `Enter an amount above zero, at most ${left}.`,
    returnTakes: (points: string) => `Takes back ${points}.`,
    returnTakesNothing: (counted: string) =>
      `Takes nothing back yet: what is kept still counts as ${counted}.`,
    returnKeeps: (kept: string, counted: string) =>
      kept === counted
        ? `What is kept, ${kept}, earns by the rules of that day.`
        : `What is kept, ${kept}, counts as ${counted} and earns by the rules of that day.`,
    returnLoses: (tiers: string) => `${tiers} is lost with it: only this purchase has reached it.`,
    returnFinal: 'A return cannot be undone. To correct one, record the purchase again.',
    computing: 'Computing…',
    returnedNow: (amount: string, points: string, balance: string | null) =>
      balance === null
        ? `${amount} returned, ${points} taken back.`
        : `${amount} returned, ${points} taken back. The balance is ${balance}.`,

    giveBack: 'Give back',
    giveBackTitle: (title: string) => `Give “${title}” back`,
    giveBackText: (code: string, points: string) =>
      `The code ${code} can then no longer be used, and the member gets ${points} back. This cannot be undone.`,
    giveBackPoints: (points: string) => `Give ${points} back`,
    gaveBack: (points: string, balance: string) => `${points} given back. The balance is ${balance}.`,
  },
};
