import type { Format } from '../format.ts';

const points = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const seconds = (n: number, f: Format) => f.plural(n, { one: '1 second', other: `${f.number(n)} seconds` });

/** The portal's texts in English. They are whole sentences, so each language can choose its own word order. */
export const en = {
  points,
  pointsWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  days: (n: number, f: Format) =>
    n === 0 ? 'today' : f.plural(n, { one: 'tomorrow', other: `in ${f.number(n)} days` }),

  asOf: (when: string) => `No connection. This is how it was on ${when}.`,
  card: 'Your card',
  usedEnjoy: 'Used. Enjoy!',
  codeVoid: 'The shop has taken this code back.',
  loading: 'Loading…',
  retry: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  nav: 'Your club',
  skip: 'Skip to content',
  signIn: 'Sign in',
  signOut: 'Sign out',

  home: 'Home',
  benefits: 'Benefits',
  history: 'History',
  profile: 'Profile',

  visitorTitle: (shop: string) => `Points at ${shop}`,
  visitorText:
    'Earn points on every purchase and trade them for something you like. All you need is an e-mail address.',
  visitorAction: 'Join or sign in',
  visitorBenefits: 'What you can get',

  signInTitle: 'Join or sign in',
  signInText: 'We will send you a six-digit code. You do not need a password.',
  email: 'E-mail address',
  emailWrong: 'Enter a valid e-mail address, such as ana@example.com.',
  sendCode: 'Send me the code',
  codeTitle: 'Enter your code',
  codeText: (email: string) =>
    `We sent it to ${email}. It is valid for 10 minutes. Nothing there? Check your spam folder.`,
  code: 'Six-digit code',
  codeIncomplete: 'Enter all six digits.',
  codeWrong:
    'This code is wrong or has expired. Check the digits, use the link in the e-mail, or ask for a new code.',
  newCode: 'Send a new code',
  newCodeIn: (wait: number, f: Format) => `You can ask for a new code in ${seconds(wait, f)}`,
  newCodeSent: 'A new code is on its way. The old one no longer works.',
  otherEmail: 'Use a different address',
  linkTitle: (shop: string) => `Sign in at ${shop}`,
  linkText: 'Press the button to sign in with the address that this link was sent to.',
  linkReplaces: 'You are already signed in on this device. Signing in with the link replaces that.',
  linkDeadTitle: 'This link no longer works',
  linkDead: 'A link works once and for 10 minutes, and only the newest one is valid.',
  linkToCode: 'Get a new code',
  linkToClub: 'Go to your club',
  sessionEnded: 'Your session has ended. Sign in again to continue.',

  balance: 'Your points',
  expiresNext: (points: string, day: string, when: string) => `${points} will expire on ${day} (${when}).`,
  expiryAll: 'All expiry dates',
  neverExpire: 'Your points do not expire.',
  expiryNothing: 'None of your points are about to expire.',
  expiryLine: (points: string, day: string) => `${points} on ${day}`,

  tier: 'Your tier',
  tierMultiplier: (times: string) => `You earn ${times}× points on every purchase.`,
  tierUntil: (day: string) => `Yours until ${day}.`,
  tierExpired: 'This tier has expired. Keep shopping to move up again.',
  tierNextPoints: (points: string, name: string) => `Earn another ${points} to reach ${name}`,
  tierNextAmount: (amount: string, name: string) => `Spend another ${amount} to reach ${name}`,
  tierTop: 'You have reached the top tier. Thank you!',

  codes: 'Your codes',
  codesNone: 'You have no codes yet. Trade points for a benefit and its code will appear here.',
  codesToBenefits: 'See the benefits',
  showCode: 'Show code',
  usedCodes: 'Used and expired codes',
  used: 'Used',
  past: 'Expired',
  dueBy: (day: string) => `Valid until ${day}`,
  noDue: 'No expiry date',

  off: (discount: string) => `${discount} off`,
  freeProduct: 'Free',
  freeProductNamed: (name: string) => `Free: ${name}`,
  until: (day: string) => `Available until ${day}`,
  missing: (n: number, f: Format) => `${points(n, f)} to go`,
  get: 'Get it',
  getNamed: (title: string, points: string) => `Get it: ${title}, ${points}`,
  catalogNone: 'There are no benefits at the moment. Check back soon: you will keep your points.',

  gifts: 'Gifts from the club',
  birthdayAsk: 'Tell us your birthday',

  buyTitle: 'Trade your points?',
  buyText: (title: string, points: string) => `${title} costs ${points}.`,
  buyLeft: (points: string) => `You will have ${points} left.`,
  buyConfirm: (points: string) => `Yes, trade ${points}`,
  buying: 'Trading…',
  bought: 'It is yours. Show this code at the till.',
  boughtNoAnswer:
    'We did not get an answer, so we do not know if that worked. Try again: you will only pay once.',
  refusedGone: 'This benefit is no longer available. You have not spent any points.',
  refusedPoints: (missing: number, f: Format) =>
    `You are ${points(missing, f)} short. You have not spent any points.`,
  refusedLeft: 'Only members of the club can trade points. You have not spent any points.',
  refusedOther: 'The shop did not accept this trade. You have not spent any points. Ask at the till.',
  toBenefits: 'Back to the benefits',

  codeAlt: (digits: string) => `QR code of ${digits}`,
  codeHint: 'Show it at the till or read out the digits.',
  codeOnline: 'It also works as a coupon code in the online shop.',
  copy: 'Copy code',
  copied: 'Copied',

  historyNone:
    'Nothing here yet. Give your e-mail address at the till when you buy something, and your points will appear here.',
  more: 'Show more',
  noMore: 'You have reached the end.',
  purchase: 'Purchase',
  return: 'Return',
  exchange: 'Traded',
  givenBack: 'Points returned',
  usage: 'Used at the shop',
  welcome: 'Welcome gift',
  birthday: 'Birthday gift',
  monthly_top: 'Top customer of the month',
  /** Points that expired, or a correction by the shop. The note beside it says which. */
  change: 'Points adjusted',

  name: 'Name',
  phone: 'Phone',
  phoneHint: 'Include the country code, such as +34 600 111 222.',
  phoneWrong: 'Start with + and the country code, then use digits only.',
  birthDate: 'Birthday',
  birthDateHint: 'The shop keeps your birthday but does not show it here. Fill it in to set or change it.',
  birthDateWrong: 'Enter a valid date of birth.',
  birthdayGift: (gift: string) => `On your birthday you get: ${gift}.`,
  nameWrong: 'Enter a name of 1 to 100 characters.',
  save: 'Save',
  saved: 'Saved.',
  accountOf: (email: string) => `Signed in as ${email}`,
  leave: 'Leave the club',
  leaveTitle: 'Leave the club?',
  leaveText:
    'You keep your points and codes, but you can no longer earn or trade points. You can come back at any time.',
  leaveConfirm: 'Yes, leave',
  leftTitle: 'You have left the club',
  leftText: (points: string) => `We will keep your ${points} for you. Come back to earn and trade again.`,
  rejoin: 'Join again',
  rejoinFailed: 'You cannot join again at the moment. Ask at the shop.',
  welcomeBack: 'Welcome to the club!',
  welcomeGot: (gift: string) => `Welcome to the club! You get ${gift}.`,

  offlineNow: 'You are offline.',
  offline: 'You are offline. We will continue as soon as the connection is back.',
  noAnswer: 'The club is not responding at the moment. Your points are safe. Try again in a moment.',
  tooMany: (wait: number, f: Format) => `Too many attempts. Wait ${seconds(wait, f)} and try again.`,
  closed: 'This club is closed. Ask at the shop.',
  broken: 'Something went wrong on our side. Your points are safe. Try again in a moment.',
};

/** Makes sure that every language has every text. */
export type Texts = typeof en;
