/**
 * The program of a commerce with every default filled in: the shop's details, how points are earned and expire, its
 * tiers, benefits and rewards. The program file, the console and the export all use this one model.
 */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  clockTime,
  color,
  decimal,
  instant,
  line,
  listOf,
  nullable,
  oneOf,
  otherwise,
  section,
  picture,
  webAddress,
  wholeNumber,
  yesOrNo,
} from './fields.ts';
import { isText } from '#text/plain-text.ts';
import { isCurrency, isLocale, isTimeZone, SUCCESSORS } from './values.ts';

const BILLION = 1_000_000_000;
const TRILLION = 1_000_000_000_000;

/** Words that are paths of their own under `/v1/benefits/`, so they cannot be ids. */
const reservedBenefitIds = ['list', 'preview', 'redeem'];

/** The most unused codes that a program can allow a member. The list of a member's codes is as long as that and more. */
export const MOST_UNUSED_CODES = 1_000;
/** A cart can hold a code for a week. */
export const MOST_HOLD_MINUTES = 10_080;
/** Points wait for a year at most. */
const MOST_PENDING_DAYS = 366;

const discountTypes = ['percentage_discount', 'absolute_discount', 'free_product'] as const;
const benefitTypes = ['normal', 'welcome', 'birthday', 'monthly_top', 'level'] as const;

const product = section('The product that the member gets.', {
  id: nullable(
    Type.Union([wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ''), line(100, '')], {
      description: 'Id of the product in the service: a whole number or text. A number stays a number.',
      must: 'a whole number or one line of text of 1 to 100 characters',
    }),
  ),
  name: nullable(line(200, 'Name of the product.')),
  external_id: nullable(line(100, "Id in the shop's own system.")),
});

const shopProduct = section('The product in the online store that the coupon applies to.', {
  shop_id: nullable(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'Id of the product in the online store.')),
  name: nullable(line(200, 'Name of the product.')),
  url: nullable(webAddress('Web page of the product.')),
  available: nullable(yesOrNo('Whether it is in stock.')),
  published: nullable(yesOrNo('Whether the store shows it.')),
  brand: nullable(line(100, 'Brand of the product.')),
  categories: listOf(
    section('A category of the online store.', {
      id: nullable(
        Type.Union([wholeNumber(0, Number.MAX_SAFE_INTEGER, ''), line(100, '')], {
          description: 'Id of the category.',
          must: 'a whole number or one line of text of 1 to 100 characters',
        }),
      ),
      name: nullable(line(200, 'Name of the category.')),
    }),
    100,
    'Categories of the product.',
  ),
});

const shopCoupon = section('How the benefit works as a coupon in an online store.', {
  type: oneOf(['percentage', 'absolute', 'shipping'], 'Kind of discount that the coupon gives.'),
  value: decimal(
    0,
    TRILLION,
    'Percentage, at most 100, or amount that the coupon takes off. Only that of shipping may be 0.',
  ),
  category: nullable(line(100, 'Id of the category that the coupon applies to, as text.')),
  category_name: nullable(line(200, 'Name of that category.')),
  end_date: nullable(instant('When the store stops accepting the coupon.')),
  product: nullable(shopProduct),
});

const benefit = section('Something that a member buys with points or gets as a reward.', {
  id: Type.Refine(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      not: { enum: reservedBenefitIds },
      description:
        'The benefit_id that the shop and its members use. An id must never be reused for another benefit.',
      must: `1 to 64 small letters, digits and hyphens, the first no hyphen, and none of ${reservedBenefitIds.join(', ')}`,
    }),
    (id) => !reservedBenefitIds.includes(id),
  ),
  benefit_type: otherwise(
    oneOf(
      benefitTypes,
      'A normal benefit is for sale in the catalog. The others are given by the reward or tier of that kind.',
    ),
    'normal',
  ),
  type: oneOf(discountTypes, 'What the benefit does at the till.'),
  title: line(200, 'Name of the benefit in the catalog.'),
  description: otherwise(
    Type.Refine(
      Type.String({
        maxLength: 2000,
        description: 'Details for members.',
        must: 'text of at most 2000 characters without control characters',
      }),
      (text) => isText(text, 2000),
    ),
    '',
  ),
  cost: otherwise(
    wholeNumber(
      0,
      Number.MAX_SAFE_INTEGER,
      'Price in points. Required for a normal benefit (0 if it is free); the others cost nothing.',
    ),
    0,
  ),
  value: nullable(
    decimal(
      0.001,
      TRILLION,
      'The percentage of a percentage_discount, at most 100, or the amount of an absolute_discount. A free_product has no value.',
    ),
  ),
  product: nullable(product),
  color: nullable(color('Color of the card.')),
  image: nullable(picture('Picture of the benefit.')),
  expiration: nullable(instant('When the benefit leaves the catalog and its codes expire.')),
  valid_days: nullable(wholeNumber(1, 3650, 'How many days a code is valid after it is issued.')),
  buy_limit: otherwise(
    wholeNumber(0, Number.MAX_SAFE_INTEGER, 'How many can be sold in total. 0 means no limit.'),
    0,
  ),
  on_sale: otherwise(
    yesOrNo('false removes the benefit from the catalog for a while. Its codes stay valid.'),
    true,
  ),
  shop_coupon: nullable(shopCoupon),
});

const mailText = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: 600,
    description: 'Plain text of the shop. An empty line starts a paragraph.',
    must: 'text of 1 to 600 characters without control characters',
  }),
  (text) => isText(text, 600),
);

const wordsOfMail = nullable(
  section('The words of the shop in this mail.', {
    en: nullable(mailText),
    es: nullable(mailText),
  }),
);

const reward = {
  points: nullable(wholeNumber(1, BILLION, 'Points to give. A reward has either points or a benefit.')),
  benefit: nullable(line(64, 'Id of the benefit to give. Its benefit_type must be that of this reward.')),
};

const PERIODS = ['day', 'week', 'month'] as const;
/** Monday is the first. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const products = (description: string, most: number) =>
  listOf(line(64, "The shop's own id of a product, as lines name it."), most, description);
const categories = (description: string, most: number) =>
  listOf(line(64, 'A category, as lines name it.'), most, description);
const places = (description: string) =>
  listOf(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'An id, as purchases name it.'), 100, description);

/** An object with this name looks like a promise to a linter, and is none. */
const [WHEN_FULL] = ['then'] as const;

/** What a purchase must be for a rule or a stamp. */
const conditions = () =>
  section('Which purchases, and which of their lines. An empty list and null are no condition.', {
    products: products('Lines of one of these products.', 100),
    categories: categories('Lines of a product in one of these categories.', 100),
    channels: listOf(
      line(64, 'A channel, as purchases name it.'),
      20,
      'Purchases through one of these channels.',
    ),
    branches: places('Purchases at one of these branches.'),
    registers: places('Purchases at one of these registers.'),
    weekdays: listOf(
      oneOf(WEEKDAYS, 'A day of the week.'),
      7,
      'Purchases on one of these days, in the time of the shop. A night of hours belongs to the day on which it begins.',
    ),
    hours: nullable(
      section('Purchases at this time of the day, in the time of the shop. It may pass midnight.', {
        from: clockTime('The first minute.'),
        to: clockTime('The minute that is no longer part of it.'),
      }),
    ),
    levels: listOf(line(64, 'Id of a tier.'), 100, 'Purchases of members who hold one of these tiers.'),
    first_purchase: otherwise(yesOrNo('Only the first purchase of a person that counts.'), false),
    min_amount: nullable(
      wholeNumber(1, TRILLION, 'Least amount of the whole purchase, in whole currency units.'),
    ),
    joined_days: nullable(
      wholeNumber(
        1,
        36_500,
        'Purchases in so many days from joining, of which the day of joining is the first.',
      ),
    ),
  });
const placeId = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'Its id, as purchases name it.');

const branch = section('A branch of the shop. Purchases may name others, which are shown by their ids.', {
  id: placeId,
  name: line(100, 'Name of the branch, such as its street.'),
  registers: listOf(
    section('A register of the branch.', { id: placeId, name: line(100, 'Name of the register.') }),
    100,
    'Its registers, for their names.',
  ),
});

const earningRule = section(
  'What some purchases earn more, or less. All conditions that are named must hold.',
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      description: 'Permanent id of the rule. Purchases keep it, and a limit counts by it.',
      must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
    }),
    title: line(100, 'Name of the rule, as members see it.'),
    public: otherwise(yesOrNo('Whether members and visitors are told of the rule before they buy.'), true),
    from: nullable(instant('Start of the rule.')),
    to: nullable(instant('End of the rule. This instant is no longer part of it.')),
    paused: otherwise(yesOrNo('true stops the rule for a while.'), false),
    when: otherwise(conditions(), {}),
    give: section('What the rule gives: a multiplier, points once a purchase, or points for each unit.', {
      multiply: nullable(decimal(0, 100, 'What the points of the lines are multiplied by.')),
      points: nullable(wholeNumber(1, 1_000_000, 'Points to add.')),
      per: nullable(oneOf(['unit'], 'unit: the points are for each unit of the lines, not once a purchase.')),
    }),
    limit: nullable(
      section('How often a member gets it.', {
        times: wholeNumber(1, 1_000_000, 'Number of purchases.'),
        per: oneOf([...PERIODS, 'ever'], 'The local period in which they are counted.'),
      }),
    ),
  },
);

/** The checked model. A file may omit fields that have a `default`, or set them to null. A Program has every field. */
export const programSchema = section('The program of a commerce.', {
  slug: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
    description: 'Permanent name of the commerce. Applying a file updates the commerce with this slug.',
    must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
  }),
  name: line(100, 'Name of the shop, as members see it.'),
  sandbox: otherwise(
    yesOrNo('For trying things out: the clock of a sandbox can be moved. Do not use one for real members.'),
    false,
  ),
  status: otherwise(oneOf(['active', 'paused'], 'A paused commerce accepts no purchases.'), 'active'),
  logo: nullable(picture('Image of the logo.')),
  color: nullable(color('Brand color. Quote it, because a bare # starts a comment in YAML.')),
  category_name: nullable(line(100, 'Kind of shop.')),
  tagline: nullable(line(120, 'Headline of the page that visitors see.')),
  cover: nullable(picture('Large picture of the page that visitors see.')),
  currency: Type.Refine(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'Currency of all amounts, as an ISO 4217 code.',
      must: 'an ISO 4217 code of three capital letters, such as EUR',
      successors: SUCCESSORS,
    }),
    isCurrency,
  ),
  time_zone: Type.Refine(
    Type.String({
      maxLength: 64,
      description: 'IANA time zone. All days of the program are days in this zone.',
      must: 'the name of an IANA time zone, such as Europe/Madrid',
    }),
    isTimeZone,
  ),
  locale: otherwise(
    Type.Refine(
      Type.String({
        locale: true,
        maxLength: 64,
        description: 'Language of mails and pages, as a BCP 47 tag.',
        must: 'a language tag such as en or es-AR',
      }),
      isLocale,
    ),
    'en',
  ),
  branches: listOf(branch, 500, 'The branches of the shop, for their names.'),
  earning: section('How purchases earn points.', {
    money_per_point: decimal(0.001, BILLION, 'Currency units for one point.'),
    max_amount: otherwise(
      wholeNumber(1, TRILLION, 'Highest amount of one purchase, in whole currency units.'),
      BILLION,
    ),
    returns: otherwise(
      oneOf(
        ['negative', 'clamp', 'refuse'],
        'What a return does if its points are already spent: leave a debt, take the points that are left, or be refused.',
      ),
      'negative',
    ),
    double_points: listOf(
      section('A period in which purchases earn double points.', {
        from: instant('Start of the period.'),
        to: instant('End of the period. This instant is no longer part of it.'),
      }),
      1000,
      'When purchases earn double points.',
    ),
    pending: nullable(
      section('How long the points of a purchase wait before they can be spent: days, or until confirmed.', {
        days: nullable(wholeNumber(1, MOST_PENDING_DAYS, 'Days after the purchase.')),
        until: nullable(oneOf(['confirmed'], 'confirmed: until the shop confirms the purchase.')),
        cancel_after_days: nullable(
          wholeNumber(
            1,
            MOST_PENDING_DAYS,
            'Days after which a purchase that nobody has confirmed is taken back. Required with until.',
          ),
        ),
      }),
    ),
    lines: otherwise(
      oneOf(
        ['optional', 'required'],
        'required: a purchase of which the shop does not say the lines earns nothing.',
      ),
      'optional',
    ),
    exclude: otherwise(
      section('Lines that earn nothing, whatever the rules say. They count as spent.', {
        products: products('Lines of these products.', 1000),
        categories: categories('Lines of products in these categories.', 1000),
        discounted: otherwise(yesOrNo('Lines that were sold at a reduced price.'), false),
      }),
      {},
    ),
    rules: listOf(earningRule, 50, 'What some purchases earn more, or less.'),
    cap: nullable(
      section('The most points that a member can earn by purchases in a period.', {
        points: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'Points. What is above is not earned.'),
        per: oneOf(PERIODS, 'The local period of the purchases.'),
      }),
    ),
    carry_remainder: otherwise(
      yesOrNo(
        'Whether the money of a purchase that is not enough for another point waits for the next purchase.',
      ),
      false,
    ),
  }),
  stamps: listOf(
    section('A card that purchases stamp. A full one gives a code for a benefit.', {
      id: Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
        description: 'Permanent id of the card. Members keep their stamps by it.',
        must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
      }),
      title: line(100, 'Name of the card, as members see it.'),
      paused: otherwise(
        yesOrNo('true stops the card for a while: purchases stamp nothing, and members keep their stamps.'),
        false,
      ),
      when: otherwise(conditions(), {}),
      per: oneOf(
        ['purchase', 'unit'],
        'purchase: a purchase is one stamp. unit: each unit of the lines is one.',
      ),
      need: wholeNumber(2, 50, 'Stamps of a full card.'),
      within_months: nullable(
        wholeNumber(
          1,
          120,
          'Months in which a card must be filled, from its first stamp. null means no end.',
        ),
      ),
      min_minutes_between: nullable(
        wholeNumber(1, 10_080, 'Minutes that must lie between two purchases that stamp.'),
      ),
      [WHEN_FULL]: section('What a full card gives.', {
        benefit: line(64, 'Id of a normal benefit that is not on sale.'),
      }),
    }),
    10,
    'Cards that purchases stamp.',
  ),
  points_expiration: otherwise(
    section('When points expire.', {
      mode: otherwise(
        oneOf(
          ['none', 'rolling', 'accumulated'],
          'none: points never expire. rolling: each grant expires separately. accumulated: the whole balance expires, counted from the last purchase or exchange.',
        ),
        'none',
      ),
      months: nullable(wholeNumber(1, 120, 'Months until points expire. Has no effect if mode is none.')),
    }),
    {},
  ),
  levels: otherwise(
    section('The tiers.', {
      threshold_type: otherwise(
        oneOf(
          ['points', 'amount'],
          'Unit of the thresholds: points earned or amount spent, over a lifetime.',
        ),
        'points',
      ),
      valid_months: nullable(
        wholeNumber(1, 120, 'Months that a member keeps a tier after reaching it. null means for ever.'),
      ),
      ladder: listOf(
        section('A tier.', {
          id: nullable(
            Type.String({
              pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
              description:
                'Permanent id of the tier, even if its name or place changes. If omitted, the tier is found by its name, and a new tier gets an id made from its name.',
              must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
            }),
          ),
          name: line(100, 'Name of the tier.'),
          threshold: wholeNumber(
            0,
            Number.MAX_SAFE_INTEGER,
            'Points or amount at which a member reaches the tier.',
          ),
          points_multiplier: otherwise(
            decimal(0, 1000, 'Multiplies the points of purchases by members of the tier.'),
            1,
          ),
          icon_url: nullable(picture('Picture of the tier.')),
          benefit: nullable(
            line(
              64,
              'Id of the benefit that a member gets on reaching the tier. Its benefit_type must be level.',
            ),
          ),
        }),
        100,
        'The tiers, lowest first.',
      ),
    }),
    {},
  ),
  benefits: listOf(benefit, 1000, 'Benefits that members buy with points or get as rewards.'),
  codes: otherwise(
    section('The codes that members hold.', {
      max_unused: otherwise(
        wholeNumber(
          1,
          MOST_UNUSED_CODES,
          'A member who holds this many unused codes must use one before buying another. Rewards are given all the same.',
        ),
        200,
      ),
      hold_minutes: otherwise(
        wholeNumber(1, MOST_HOLD_MINUTES, 'For how many minutes a cart of an online shop can hold a code.'),
        30,
      ),
      undo_days: otherwise(
        wholeNumber(
          0,
          3650,
          'For how many days a shop can undo the use of a code, such as after a return. 0 means that a used code stays used.',
        ),
        0,
      ),
      with_return: otherwise(
        oneOf(
          ['keep', 'restore'],
          'Whether an order that is returned or cancelled keeps its codes used, or restores them within the undo_days.',
        ),
        'keep',
      ),
    }),
    {},
  ),
  step_up_points: otherwise(
    wholeNumber(
      0,
      Number.MAX_SAFE_INTEGER,
      'A manager who adjusts the balance of a member by more points than this must type a fresh sign-in code.',
    ),
    10_000,
  ),
  rewards: otherwise(
    section('Rewards that are given automatically.', {
      welcome: nullable(section('For joining, once per member.', reward)),
      birthday: nullable(section("On a member's birthday.", reward)),
      monthly_top: nullable(
        section('For the member who bought the most in a month.', {
          ...reward,
          settle_days: otherwise(
            wholeNumber(0, 28, 'Days to wait after the end of the month before giving the reward.'),
            3,
          ),
        }),
      ),
    }),
    {},
  ),
  mail: otherwise(
    section('Mail to members.', {
      sender: nullable(line(100, 'Name of the sender. null means the name of the shop.')),
      reminders: otherwise(yesOrNo('Whether members get a mail before points expire.'), false),
      messages: otherwise(
        section('Which mails members get. Sign-in codes are always sent.', {
          invitation: otherwise(
            yesOrNo('To anyone whose purchase earned points that wait until the person joins.'),
            true,
          ),
          welcome: otherwise(yesOrNo('To anyone who joins for the first time.'), false),
          expiring: nullable(yesOrNo('30 and 7 days before points expire. null means: as `reminders` says.')),
          birthday: otherwise(yesOrNo('With the birthday reward.'), false),
          level: otherwise(yesOrNo('To a member who reaches a higher tier.'), false),
          reward: otherwise(yesOrNo('With the reward for the member who bought the most in a month.'), false),
        }),
        {},
      ),
      words: nullable(
        section(
          'What the shop itself says in a mail, above the text that every shop has. Mails are in the language of `locale`.',
          {
            invitation: wordsOfMail,
            welcome: wordsOfMail,
            expiring: wordsOfMail,
            birthday: wordsOfMail,
            level: wordsOfMail,
            reward: wordsOfMail,
          },
        ),
      ),
    }),
    {},
  ),
});

/** `at` says whether the key or the value is wrong. Indexes of lists count from 0. */
export interface ProgramProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly at: 'key' | 'value';
  /** True if a value is not there. Any other problem is with one that is. */
  readonly isMissing?: boolean;
}

/** The contents of a file: the program, and the time at which the clock of a new sandbox starts. */
export const programFileSchema = Type.Object(
  {
    ...programSchema.properties,
    clock: nullable(instant('When the clock of a sandbox starts. Used only when the commerce is created.')),
  },
  { description: 'The program file of a commerce.', additionalProperties: false },
);

export type Program = Static<typeof programSchema>;
export type ProgramBenefit = Program['benefits'][number];
