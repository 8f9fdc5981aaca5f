import type { Format } from '../format.ts';
import { mailLabels, type Labels } from './fields.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const monthsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} month`, other: `${f.number(n)} months` });
const membersOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} member`, other: `${f.number(n)} members` });

/** The name of each mail. */
const mails = {
  invitation: 'Points are waiting',
  welcome: 'Welcome',
  expiring: 'Points are about to end',
  birthday: 'Birthday',
  level: 'A tier is reached',
  reward: 'Best buyer of the month',
};

/** The texts of the frame of Program and of what all its pages share. */
export const en = {
  title: 'Program',
  lead: 'The rules of the shop, as a member would hear them. Nothing that you change counts before you publish it.',
  sections: {
    branding: 'Branding',
    earning: 'Earning',
    'double-points': 'Double points',
    expiry: 'Expiry',
    tiers: 'Tiers',
    benefits: 'Benefits',
    rewards: 'Rewards',
    messages: 'Messages',
    file: 'As a file',
    versions: 'Versions',
  },
  sectionsLabel: 'Parts of the program',
  all: 'All parts',
  /** The program in a few words for each part. */
  told: {
    earning: (money: string) => `1 point for every ${money}`,
    noDouble: 'None planned',
    neverEnds: 'Points never end',
    expiry: (when: string) => `Points end ${when}`,
    noTiers: 'None: everybody earns the same',
    benefits: (forSale: number, given: number, f: Format) =>
      `${f.number(forSale)} for sale` +
      (given === 0 ? '' : `, ${f.number(given)} given by rewards and tiers`),
    noRewards: 'None',
    messages: 'What members get by mail, and when',
    file: 'For those who keep it in a text file',
  },
  changed: 'Changed',
  hasProblems: 'Needs a correction',
  version: (n: number, f: Format) => `Version ${f.number(n)}`,
  since: (version: string, day: string, by: string | null) =>
    by === null ? `${version}, in force since ${day}` : `${version}, in force since ${day}, by ${by}`,
  authors: { you: 'you', key: 'another system of the shop', commandLine: 'the command line' },

  wasBefore: (value: string) => `In force: ${value}`,
  putBack: 'Put back',
  none: 'none',
  yes: 'yes',
  no: 'no',

  changes: (n: number, f: Format) =>
    f.plural(n, { one: '1 change, not in force yet', other: `${f.number(n)} changes, not in force yet` }),
  problems: (n: number, f: Format) =>
    f.plural(n, { one: '1 value needs a correction', other: `${f.number(n)} values need a correction` }),
  showProblem: 'Show it',
  discard: 'Discard',
  discarded: 'Your changes are discarded.',
  restore: 'Bring them back',
  review: 'Review',
  checking: 'Checking…',
  checkFailed: 'Not checked yet: there was no answer. Your changes are safe in this browser.',

  behindTitle: (author: string | null) =>
    author === null
      ? 'A new version was published meanwhile'
      : `A new version was published meanwhile, by ${author}`,
  behindText: (mine: string, now: string) =>
    `Your changes began from ${mine}. ${now} is in force now. Nothing of it is overwritten: look at both, then decide.`,
  decide: 'Look and decide',

  /** The words of a difference, by what kind it is. */
  difference: {
    changed: 'changed',
    added: 'added',
    removed: 'removed',
    withdrawn: 'withdrawn',
    moved: 'in another order',
  },
  to: 'to',
  was: 'was',

  /** The label of each field, wherever it is shown. */
  labels: {
    name: 'Name of the shop',
    status: 'State',
    logo: 'Logo',
    color: 'Color',
    category_name: 'Kind of shop',
    tagline: 'Headline',
    cover: 'Large picture',
    currency: 'Currency',
    time_zone: 'Time zone',
    locale: 'Language of mails and pages',
    'earning.money_per_point': 'A point costs',
    'earning.max_amount': 'Highest amount of one purchase',
    'earning.returns': 'If points are already spent',
    'earning.pending': 'Points can be spent',
    'earning.double_points': 'Double points',
    'earning.double_points[]': 'Double points',
    points_expiration: 'Points end',
    'points_expiration.mode': 'Points end',
    'points_expiration.months': 'After',
    'levels.threshold_type': 'Tiers are reached by',
    'levels.valid_months': 'A tier is kept for',
    'levels.ladder': 'Tiers',
    'levels.ladder[]': 'Tier',
    'levels.ladder[].name': 'Name',
    'levels.ladder[].threshold': 'Reached at',
    'levels.ladder[].points_multiplier': 'Multiplies points by',
    'levels.ladder[].icon_url': 'Picture',
    'levels.ladder[].benefit': 'Gift on reaching it',
    benefits: 'Benefits',
    'benefits[]': 'Benefit',
    'benefits[].id': 'Id',
    'benefits[].benefit_type': 'Given by',
    'benefits[].type': 'At the till',
    'benefits[].title': 'Name',
    'benefits[].description': 'Description',
    'benefits[].cost': 'Cost in points',
    'benefits[].value': 'Value',
    'benefits[].product': 'Product',
    'benefits[].color': 'Color',
    'benefits[].image': 'Picture',
    'benefits[].expiration': 'Leaves the catalog on',
    'benefits[].valid_days': 'A code is valid for',
    'benefits[].buy_limit': 'Can be sold in total',
    'benefits[].on_sale': 'In the catalog',
    'benefits[].shop_coupon': 'Coupon of the online store',
    'codes.max_unused': 'Unused codes that a member can hold',
    'codes.hold_minutes': 'A cart can hold a code for',
    'codes.undo_days': 'The use of a code can be undone for',
    'codes.with_return': 'When an order comes back',
    step_up_points: 'Adjustments that ask for a fresh code',
    'rewards.welcome': 'For joining',
    'rewards.birthday': 'On a birthday',
    'rewards.monthly_top': 'For the best buyer of a month',
    'mail.sender': 'Sender of mails',
    'mail.reminders': 'Mail before points end',
    ...mailLabels(
      mails,
      (title) => `The mail “${title}”`,
      (title) => `Your words in the mail “${title}”`,
    ),
    'mail.words': 'Your words in mails',
  } satisfies Labels as Readonly<Record<string, string>>,
  mails,
  sent: 'is sent',
  notSent: 'is not sent',
  optional: 'can be left empty',

  statuses: { active: 'Open', paused: 'Paused: no purchases are recorded' },
  returns: {
    negative: 'The balance goes below zero',
    clamp: 'Only the points that are left are taken',
    refuse: 'The return is refused',
  },
  withReturn: { keep: 'Its codes stay used', restore: 'Its codes are good again' },
  minutes: (n: number, f: Format) => f.plural(n, { one: '1 minute', other: `${f.number(n)} minutes` }),
  thresholdTypes: { points: 'points earned', amount: 'amount spent' },
  benefitKinds: {
    normal: 'for sale',
    welcome: 'for joining',
    birthday: 'on a birthday',
    monthly_top: 'for the best buyer',
    level: 'for reaching a tier',
  },
  discountKinds: {
    percentage_discount: 'a percentage off',
    absolute_discount: 'an amount off',
    free_product: 'a free product',
  },
  points: pointsOf,
  months: monthsOf,
  members: membersOf,
  days: (n: number, f: Format) => f.plural(n, { one: `${f.number(n)} day`, other: `${f.number(n)} days` }),
  forEver: 'for ever',
  atOnce: 'at once',
  afterDays: (days: string) => `${days} after the purchase`,
  onceConfirmed: (days: string) => `once the shop confirms the purchase, which it must do within ${days}`,
  noLimit: 'no limit',
  otherPicture: 'another picture',
  otherText: 'another text',
  range: (from: string, to: string) => `${from} to ${to}`,
  expiryMode: {
    none: 'never',
    rolling: (months: string) => `${months} after they were earned`,
    accumulated: (months: string) => `all at once, ${months} after the last purchase or exchange`,
  },
  rewardOf: (points: string | null, benefit: string | null) => benefit ?? points ?? 'none',

  picture: 'The portal, as visitors will see it',
  pictureText: 'This picture follows what you type. Members see it after you publish.',

  problem: {
    needed: 'Enter something here.',
    number: 'Enter a number, such as 0.5 or 12.',
    wholeNumber: 'Enter a whole number.',
    between: (min: string, max: string) => `Must be between ${min} and ${max}.`,
    atLeast: (min: string) => `Must be at least ${min}.`,
    atMost: (max: string) => `Must be at most ${max}.`,
    decimals: 'Has at most three decimals.',
    tooLong: (max: string) => `At most ${max} characters.`,
    line: 'One line of text, without control characters.',
    picture: 'Enter an address that begins with https://, or choose a picture.',
    color: 'Enter a color such as #7a3e9d.',
    timeZone: 'There is no such time zone. Choose one of the list.',
    locale: 'Enter a language tag such as en or es-AR.',
    currency: 'Enter the three letters of a currency, such as EUR.',
    instant: 'Enter a day.',
    endsBefore: 'The end must be after the beginning.',
    threshold: 'Must be above the tier before it.',
    monthsNeeded: 'Enter a number of months, from 1 to 120.',
    amountTooHigh: 'So high that one purchase could earn more points than can be counted.',
    sameId: 'Two entries have the same id.',
    gone: 'This benefit is no longer in the program, or is not of this kind. Choose another.',
    reward: 'Choose either points or a benefit.',
  },
};
