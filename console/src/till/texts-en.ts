import type { Format } from '../format.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
export const en = {
  finder: 'Member or code',
  finderHint: 'Card, code, e-mail or name',
  finding: 'Looking…',
  found: (n: number, f: Format) =>
    f.plural(n, { one: '1 result', other: `${f.number(n)} results. Choose with the arrow keys.` }),
  chooseOne: 'Choose with the arrow keys, then press Enter.',
  customer: 'Customer',
  nextCustomer: 'Next customer',
  newEmail: (email: string) => `${email} is new here`,
  newEmailHint: 'Can buy: the points wait.',
  nothing: {
    member: (code: string) =>
      `No member of this shop has the code ${code}. Check the digits, or ask for the e-mail.`,
    voucher: (code: string) => `This shop has not given out the code ${code}. It may be from another shop.`,
    email: 'This is not a whole e-mail address yet, such as name@shop.com.',
    name: (text: string) => `Nobody’s name begins with “${text}”. Try the code or the e-mail.`,
    digits: 'A member’s code has 9 digits, a code to use has 14.',
  },

  camera: 'Scan with the camera',

  tier: (name: string, multiplier: string | null) =>
    multiplier === null ? name : `${name} · earns ${multiplier} ×`,
  noTier: 'No tier yet',
  toNext: (missing: string, name: string) => `${missing} to ${name}`,
  points: pointsOf,
  balanceWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  ends: (n: number, day: string, days: number, f: Format) =>
    days === 0
      ? `${pointsOf(n, f)} ${f.plural(n, { one: 'ends', other: 'end' })} today`
      : `${pointsOf(n, f)} ${f.plural(n, { one: 'ends', other: 'end' })} on ${day}`,
  negative:
    'Below zero, because a purchase was taken back after its points were spent. The next points pay it off.',
  invited: 'Has not joined yet. Points wait, and count when this person signs in for the first time.',
  strangerTitle: 'New here',
  stranger: 'Can buy: the points wait for this address. An invitation goes out by e-mail.',
  leftTitle: 'Left the program',
  left: 'Purchases earn nothing until this person joins again, in the app or on the shop’s page. Take the payment as usual.',
  blockedTitle: 'Blocked',
  blocked:
    'The shop has blocked this member: purchases earn nothing. You can say: “I cannot add points to this card today. The manager can tell you more.” Take the payment as usual.',
  erasedTitle: 'Erased',
  erased: 'This person’s data was erased. There is nothing that can be recorded.',
  stillUsable: 'Codes that are listed below can still be used.',
  memberFailed: 'The member could not be read.',

  purchase: 'Purchase',
  record: 'Record the purchase',
  recordAgain: 'Record it a second time',
  recording: 'Recording…',
  tryAgain: 'Press again: it counts once',
  earns: (n: number, f: Format) => `earns ${pointsOf(n, f)}`,
  earnsWaiting: (n: number, f: Format) =>
    f.plural(n, { one: `${f.number(n)} point will wait`, other: `${f.number(n)} points will wait` }),
  earnsNothing: 'earns no points',
  doublePoints: 'double points',
  doubleNow: 'Double points now',
  previewing: 'Working out the points…',
  previewFailed: 'The points cannot be worked out now. The purchase can be recorded all the same.',
  noAmount: {
    empty: () => 'Type the amount.',
    unclear: (amount: string, _one: string, _currency: string) =>
      `${amount} can be read in more than one way. Type it anew.`,
    fraction: (amount: string, _one: string, currency: string) =>
      `${amount} has more decimals than ${currency} has. Leave out signs between thousands.`,
    zero: () => 'The amount must be above zero.',
    less: (_amount: string, one: string, _currency: string) =>
      `Less than ${one} counts as nothing. Take the payment as usual.`,
    huge: (_amount: string, _one: string, _currency: string, most: string) =>
      `The shop accepts at most ${most} a purchase. Check the amount.`,
  },
  countsAs: (amount: string) => `counts as ${amount}`,
  unusual: (amount: string) => `${amount} is unusually high for this shop. Is it right?`,
  cardOrMoney: (code: string) => `Nobody here has the card ${code}. Is it the amount?`,
  recordMoney: (amount: string) => `Yes, record ${amount}`,
  changeAmount: 'Change the amount',
  pad: 'Numbers',
  backspace: 'Delete the last digit',
  zero: 'The amount must be above zero.',
  tooLarge: 'The shop does not accept so large an amount. Check it.',
  paused: 'The program is paused: purchases earn nothing now. Take the payment as usual.',
  twice: (seconds: number) =>
    `The same amount was recorded for this member here ${seconds < 2 ? 'a moment' : `${seconds} seconds`} ago. If it is another purchase, record it a second time.`,
  offlineUnsent:
    'No connection. Nothing has been recorded. It will be sent once, as soon as the connection is back.',
  unknown: 'There was no answer. We do not know yet whether it counted. Press again: it counts once.',
  asideTitle: 'Not known yet',
  aside: (amount: string, name: string) => `${amount} · ${name}`,
  asideHint: 'We do not know yet whether it counted. It is tried again by itself, and counts once.',
  asideRefused: (amount: string, name: string, why: string) =>
    `${amount} for ${name} was not recorded. ${why}`,
  retry: 'Try again',
  notEligible: 'This member has left the program or is blocked.',
  gone: 'This member is not here any more. Find the member again.',
  leftBehind: (amount: string, name: string) => `${amount} for ${name} was not recorded.`,
  goBack: 'Go back to it',

  recordedTitle: (n: number, f: Format) => (n === 0 ? 'Recorded, without points' : `+${pointsOf(n, f)}`),
  recordedFor: (amount: string, name: string) => `${amount} · ${name}`,
  newBalance: (n: number, f: Format) => `now ${pointsOf(n, f)}`,
  justDone: 'Just done',
  nextHint: 'Ready for the next customer.',
  recordedLater: (n: number, f: Format) => `${pointsOf(n, f)} to spend later`,
  recordedWaits: 'The points wait until this person joins.',
  reached: (level: string, multiplier: string | null) =>
    multiplier === null ? `Now ${level}` : `Now ${level}: from now on earns ${multiplier} ×`,
  recordedBefore: 'It had been recorded already, and counted once.',
  undo: 'Undo',
  undoing: 'Taking it back…',
  undone: (amount: string, n: number, f: Format) => `${amount} taken back: ${pointsOf(n, f)} gone.`,
  undoneBalance: (name: string, n: number, f: Format) => `${name} has ${pointsOf(n, f)} now.`,
  undoneBefore: 'It had been taken back already.',
  undoUnknown:
    'There was no answer. We do not know yet whether it was taken back. Press Undo again: it happens once.',
  undoRefused: 'It cannot be taken back here. Ask a manager.',
  undoSpent: 'It cannot be taken back: its points have been spent. Ask a manager.',

  ready: 'Ready to use',
  more: 'This member has more codes than are listed here. Scan the code to use one of the others.',
  use: 'Use',
  useTitle: (title: string) => `Use “${title}”?`,
  useText: 'The code is gone afterwards. This cannot be undone.',
  useNow: 'Use it now',
  using: 'Using…',
  useUnknown: 'There was no answer. We do not know yet whether it was used. Press again: it is used once.',
  usedTitle: (title: string) => `Used: ${title}`,
  usedText: 'The customer may have it now.',
  until: (day: string) => `until ${day}`,
  lastDay: 'last day today',
  noEnd: 'does not end',
  kinds: {
    percentage_discount: (value: string) => `${value}% off`,
    absolute_discount: (value: string) => `${value} off`,
    free_product: () => 'Free product',
  },
  heldBy: (name: string) => `Held by ${name}`,
  openHolder: (name: string) => `Purchase for ${name}`,
  voucherUsed: (when: string) => `It was used on ${when}. It must not be given again.`,
  voucherUsedEver: 'It has been used. It must not be given again.',
  voucherExpired: (when: string) => `It could be used until ${when}.`,
  voucherGivenBack: (when: string) => `It was given back on ${when}. The member has the points back.`,
  voucherVoid: 'The purchase that earned it was taken back, so it is not good any more.',
  voucherGone: 'The code cannot be used any more.',

  today: (register: string | number | null) =>
    register === null ? 'Today at this till' : `Today at register ${register}`,
  changeRegister: 'Change',
  dayEmptyTitle: 'Nothing yet today',
  dayEmpty: 'What you record here appears in this list, where a mistake can be undone.',
  dayFailed: 'The list could not be read. Recording works all the same.',
  dayMore: 'Show more',
  dayUsed: 'Used',
  dayReturn: 'Return',
  dayReturned: 'Taken back',
  dayPartly: (amount: string) => `${amount} taken back`,
  totals: (purchases: number, amount: string, points: number, used: number, f: Format) =>
    [
      f.plural(purchases, { one: '1 purchase', other: `${f.number(purchases)} purchases` }),
      amount,
      pointsOf(points, f),
      used === 0 ? null : f.plural(used, { one: '1 code used', other: `${f.number(used)} codes used` }),
    ]
      .filter(Boolean)
      .join(' · '),
};
