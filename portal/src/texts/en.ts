import type { Format } from '../format.ts';

/** What the portal says, in English. Whole sentences, so that another language can put words where it likes. */
export const en = {
  points: (n: number, f: Format) =>
    f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` }),
  pointsWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  days: (n: number, f: Format) =>
    n === 0 ? 'today' : f.plural(n, { one: 'tomorrow', other: `in ${f.number(n)} days` }),

  loading: 'Loading…',
  retry: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  nav: 'Your club',
  skip: 'Skip to the content',
  signIn: 'Sign in',
  signOut: 'Sign out',

  home: 'Home',
  benefits: 'Benefits',
  history: 'History',
  profile: 'Profile',

  visitorTitle: (shop: string) => `Points at ${shop}`,
  visitorText:
    'Earn points with every purchase and trade them for what you like. All it takes is your e-mail address.',
  visitorAction: 'Join or sign in',
  visitorBenefits: 'What you can get',

  signInTitle: 'Join or sign in',
  signInText: 'We send you a code of six digits. There is no password.',
  email: 'E-mail address',
  emailWrong: 'Enter your e-mail address, such as ana@example.com.',
  sendCode: 'Send me the code',
  codeTitle: 'Enter your code',
  codeText: (email: string) =>
    `We sent it to ${email}. It is good for 10 minutes. Nothing there? Look in the spam folder too.`,
  code: 'Code of six digits',
  codeIncomplete: 'The code has six digits.',
  codeWrong: 'This code is not right, or no longer good. Check the digits, or have a new one sent.',
  newCode: 'Send a new code',
  newCodeIn: (seconds: number, f: Format) =>
    `A new code can be sent in ${f.plural(seconds, { one: '1 second', other: `${f.number(seconds)} seconds` })}`,
  newCodeSent: 'A new code is on its way. The old one is no longer good.',
  otherEmail: 'Use another address',
  sessionEnded: 'Your session has ended. Sign in again to go on.',

  balance: 'Your points',
  expiresNext: (points: string, day: string, when: string) => `${points} expire on ${day} (${when}).`,
  expiryAll: 'All dates',
  neverExpire: 'Your points do not expire.',
  expiryNothing: 'Nothing is about to expire.',
  expiryLine: (points: string, day: string) => `${points} on ${day}`,

  tier: 'Your tier',
  tierMultiplier: (times: string) => `Your purchases earn ${times} times the points.`,
  tierUntil: (day: string) => `Yours until ${day}.`,
  tierExpired: 'This tier has ended. Earn again to climb.',
  tierNextPoints: (points: string, name: string) => `${points} more to earn until ${name}`,
  tierNextAmount: (amount: string, name: string) => `${amount} more to spend until ${name}`,
  tierTop: 'You are at the top. Thank you!',

  codes: 'Your codes',
  codesNone: 'You have no codes yet. Trade points for a benefit, and its code shows up here.',
  codesToBenefits: 'See the benefits',
  showCode: 'Show the code',
  usedCodes: 'Used and past codes',
  used: 'Used',
  past: 'Too late',
  dueBy: (day: string) => `Good until ${day}`,
  noDue: 'Good without end',

  off: (what: string) => `${what} off`,
  freeProduct: 'Free',
  freeProductNamed: (name: string) => `Free: ${name}`,
  until: (day: string) => `On offer until ${day}`,
  missing: (points: string) => `${points} missing`,
  get: 'Get it',
  getNamed: (title: string, points: string) => `Get it: ${title}, ${points}`,
  catalogNone: 'There is nothing to get at the moment. Come back soon: your points stay yours.',

  gifts: 'Gifts of the club',
  birthdayAsk: 'Tell us your birthday',

  buyTitle: 'Trade your points?',
  buyText: (title: string, points: string) => `${title} costs ${points}.`,
  buyLeft: (points: string) => `You will have ${points} left.`,
  buyConfirm: (points: string) => `Yes, trade ${points}`,
  buying: 'Trading…',
  bought: 'It is yours. Show this code at the till.',
  boughtNoAnswer:
    'We do not know whether that worked: no answer came. Try again: you pay once, however often you try.',
  refusedGone: 'This benefit is no longer there. You have paid nothing.',
  refusedPoints: (missing: string) => `Your points fall short: ${missing} missing. You have paid nothing.`,
  refusedLeft: 'Only members of the club can trade points. You have paid nothing.',
  refusedOther: 'The shop did not take this trade. You have paid nothing. Ask at the till.',
  toBenefits: 'Back to the benefits',

  codeAlt: (digits: string) => `QR code of ${digits}`,
  codeHint: 'Show it at the till, or say the digits.',
  codeOnline: 'It is also the coupon code in the online store.',
  copy: 'Copy the code',
  copied: 'Copied',

  historyNone:
    'Nothing has happened yet. Give your e-mail address at the till when you buy, and your points show up here.',
  more: 'Show more',
  noMore: 'That is all.',
  purchase: 'Purchase',
  return: 'Return',
  exchange: 'Traded',
  givenBack: 'Given back',
  usage: 'Used at the shop',
  welcome: 'Welcome gift',
  birthday: 'Birthday gift',
  monthly_top: 'Best customer of the month',
  adjustment: 'Correction by the shop',

  name: 'Name',
  phone: 'Phone',
  phoneHint: 'With the country code, such as +34 600 111 222.',
  phoneWrong: 'Begin with + and the country code, then digits only.',
  birthDate: 'Birthday',
  birthDateHint: 'Kept by the shop and not shown here. Fill it in to set or change it.',
  birthDateWrong: 'This day cannot be a birthday.',
  birthdayGift: (gift: string) => `On your birthday you get: ${gift}.`,
  nameWrong: 'A name has 1 to 100 characters.',
  save: 'Save',
  saved: 'Saved.',
  accountOf: (email: string) => `Signed in as ${email}`,
  leave: 'Leave the club',
  leaveTitle: 'Leave the club?',
  leaveText:
    'You keep your points and your codes, but earn and trade no more. You can come back whenever you like.',
  leaveConfirm: 'Yes, leave',
  leftTitle: 'You have left the club',
  leftText: (points: string) => `Your ${points} are kept for you. Come back to earn and trade again.`,
  rejoin: 'Come back',
  rejoinFailed: 'That did not work. Ask at the shop.',
  welcomeBack: 'Welcome to the club!',
  welcomeGot: (what: string) => `Welcome to the club! You get ${what}.`,

  offlineNow: 'You are offline.',
  offline: 'You are offline. We go on as soon as the connection is back.',
  noAnswer: 'The club does not answer at the moment. Your points are safe. Try again in a moment.',
  tooMany: (seconds: number, f: Format) =>
    `Too many tries. Wait ${f.plural(seconds, { one: '1 second', other: `${f.number(seconds)} seconds` })} and try again.`,
  closed: 'This club is closed. Ask at the shop.',
  broken: 'Something went wrong on our side. Your points are safe. Try again in a moment.',
};

/** Every language says the same things. */
export type Texts = typeof en;
