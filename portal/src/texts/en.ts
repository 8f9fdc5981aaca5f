import type { Format } from '../format.ts';

const points = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const seconds = (n: number, f: Format) => f.plural(n, { one: '1 second', other: `${f.number(n)} seconds` });

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The portal's texts in English. They are whole sentences, so each language can choose its own word order. */
export const en = {
  points,
  pointsWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  days: (n: number, f: Format) =>
    n === 0 ? 'today' : f.plural(n, { one: 'tomorrow', other: `in ${f.number(n)} days` }),

  yourCard: 'Your card',
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
  card: 'Card',
  benefits: 'Benefits',
  history: 'History',
  profile: 'Profile',

  visitorTitle: (shop: string) => `Points at ${shop}`,
  earnRule: (money: string) => `1 point for every ${money}`,
  doubleUntil: (day: string) => `double points until ${day}`,
  doubleFrom: (day: string) => `double points from ${day}`,
  fromPoints: (title: string, points: string) => `${title} from ${points}`,
  startWith: (gift: string) => `${gift} to start with`,
  justEmail: 'All you need is an e-mail address',
  join: 'Join the club',
  stepEarn: 'Earn',
  stepChoose: 'Choose',
  stepChooseText: (n: number, title: string, f: Format) =>
    f.plural(n, { one: title, other: `${f.number(n)} things to have. The nearest: ${title}` }),
  stepChooseNone: 'Trade your points for something you like',
  stepShow: 'Show',
  stepShowText: 'Your card is on your phone, even without a connection',
  giftTitle: 'A gift for joining',
  birthdayTitle: 'A gift on your birthday',
  visitorBenefits: 'What you can have',
  ladder: 'The longer you stay',
  ladderStart: 'From the first day',
  ladderPoints: (points: string) => `From ${points}`,
  ladderAmount: (amount: string) => `From ${amount} spent`,
  ladderTimes: (times: string) => `${times}× points`,
  ladderOnce: 'Points on every purchase',
  keepPoints: 'Your points do not expire',
  keepMonths: (n: number, f: Format) =>
    f.plural(n, {
      one: 'Points are yours for a month',
      other: `Points are yours for ${f.number(n)} months`,
    }),

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

  greeting: (hour: number, name: string) => {
    const words = hour < 5 || hour >= 18 ? 'Good evening' : hour < 12 ? 'Good morning' : 'Good afternoon';
    return name === '' ? words : `${words}, ${name}`;
  },
  gained: (points: string, day: string | null) => `+${points} ${day ?? 'since your last visit'}`,
  gainedNow: (points: string) => `+${points}`,
  haveTotal: (points: string) => `You have ${points} now.`,
  at: (day: string, time: string) => `${capital(day)}, ${time}`,
  climbed: (tier: string) => `You have reached ${tier}!`,
  youGot: (gift: string) => `You got ${gift}. Enjoy!`,
  welcomeText: 'Show your card at the till with every purchase, and the points are yours.',

  balance: 'Your points',
  debt: 'A return took back more points than you had. Your next purchases make up for it.',
  toward: (points: string, title: string) => `${points} to ${title}`,
  showCard: 'Show my card',
  cardHint: 'Show this at the till every time you buy.',
  haveNow: 'You can have now',
  allBenefits: 'See the catalog',
  almost: 'Almost yours',
  ending: 'When points end',
  later: 'Later',
  latest: 'Latest',
  allHistory: 'See all movements',
  expiresNext: (points: string, day: string, when: string) => `${points} will expire on ${day} (${when}).`,
  neverExpire: 'Your points do not expire.',
  expiryNothing: 'None of your points are about to expire.',

  tier: 'Your tier',
  tierMultiplier: (times: string) => `You earn ${times}× points on every purchase.`,
  tierUntil: (day: string) => `Yours until ${day}.`,
  tierExpired: 'This tier has expired. Keep shopping to move up again.',
  tierNextPoints: (points: string, name: string) => `Earn another ${points} to reach ${name}`,
  tierNextAmount: (amount: string, name: string) => `Spend another ${amount} to reach ${name}`,
  tierTop: 'You have reached the top tier. Thank you!',

  tierBrings: 'It brings',
  tierBrought: 'It brought you:',

  codes: 'Ready to use',
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
  buyOffline: 'You are offline. Trading points needs a connection. You have not spent any points.',
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
    'Nothing here yet. Give your e-mail address at the till or show your card when you buy something, and your points will appear here.',
  filter: 'Show',
  filters: { all: 'All', purchases: 'Purchases', codes: 'Codes', gifts: 'Gifts', other: 'Other' },
  more: 'Show more',
  filterNone: 'There are none.',
  filterNoneYet: (n: number, f: Format) => `None among your latest ${f.number(n)} movements.`,
  historyOffline: 'Your history needs a connection. It will appear as soon as there is one.',
  noMore: 'You have reached the end.',
  purchase: 'Purchase',
  return: 'Return',
  exchange: 'Traded',
  givenBack: 'Points returned',
  usage: 'Used at the shop',
  welcome: 'Welcome gift',
  birthday: 'Birthday gift',
  monthly_top: 'Top customer of the month',
  ended: 'Points expired',
  /** A correction by the shop. The note beside it gives the reason. */
  change: 'Points adjusted',

  name: 'Name',
  phone: 'Phone',
  phoneHint: 'Include the country code, such as +34 600 111 222.',
  phoneWrong: 'Start with + and the country code, then use digits only.',
  birthDate: 'Birthday',
  birthDateHint: 'Day, month and year. Only the shop sees it.',
  birthDateWrong: 'Enter a valid date of birth.',
  birthdayGift: (gift: string) => `On your birthday you get: ${gift}.`,
  nameWrong: 'Enter a name of 1 to 100 characters.',
  save: 'Save',
  saved: 'Saved.',
  profileOffline: 'Your details need a connection. They will appear as soon as there is one.',
  account: 'Account',
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

  asOf: (day: string, time: string) => `This is how it was ${day} at ${time}.`,
  noConnection: 'No connection.',

  offline: 'You are offline. We will continue as soon as the connection is back.',
  noAnswer: 'The club is not responding at the moment. Your points are safe. Try again in a moment.',
  tooMany: (wait: number, f: Format) => `Too many attempts. Wait ${seconds(wait, f)} and try again.`,
  closed: 'This club is closed. Ask at the shop.',
  broken: 'Something went wrong on our side. Your points are safe. Try again in a moment.',

  addToWallet: { apple: 'Add to Apple Wallet', google: 'Add to Google Wallet' },
};

/** Makes sure that every language has every text. */
export type Texts = typeof en;
