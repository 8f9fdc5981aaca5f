/**
 * The program of a commerce, as its file says it and with every default filled in: who the shop is, how points are
 * earned and expire, its tiers, benefits and rewards. The one model behind the file, the console and the export.
 */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  color,
  decimal,
  instant,
  line,
  listOf,
  nullable,
  oneOf,
  otherwise,
  section,
  webAddress,
  wholeNumber,
  yesOrNo,
} from './fields.ts';
import { isText } from '#text/plain-text.ts';
import { isLocale, isTimeZone } from './values.ts';

const BILLION = 1_000_000_000;
const TRILLION = 1_000_000_000_000;

/** The words that stand for paths beside `/v1/benefits/{benefit_id}` and so are never ids. */
const reservedBenefitIds = ['list', 'preview', 'redeem'];

const discountTypes = ['percentage_discount', 'absolute_discount', 'free_product'] as const;
const benefitTypes = ['normal', 'welcome', 'birthday', 'monthly_top', 'level'] as const;

const product = section('What is handed over.', {
  id: nullable(
    Type.Union([wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ''), line(100, '')], {
      description: 'Id of the product in the service, a whole number or text; it keeps its kind.',
      must: 'a whole number or one line of text of 1 to 100 characters',
    }),
  ),
  name: nullable(line(200, 'Name of the product.')),
  external_id: nullable(line(100, "Id in the shop's own system.")),
});

const shopProduct = section('The product of the online store that the coupon is for.', {
  shop_id: nullable(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'Id of the product in the online store.')),
  name: nullable(line(200, 'Name of the product.')),
  url: nullable(webAddress('Page of the product.')),
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
    'Categories that the product is in.',
  ),
});

const shopCoupon = section('How the benefit applies as a coupon of an online store.', {
  type: oneOf(['percentage', 'absolute', 'shipping'], 'What the coupon takes off.'),
  value: decimal(0, TRILLION, 'Percentage or amount that the coupon takes off.'),
  category: nullable(line(100, 'Id of the category that it is for, as text.')),
  category_name: nullable(line(200, 'Name of that category.')),
  end_date: nullable(instant('Until when the store takes it.')),
  product: nullable(shopProduct),
});

const benefit = section('Something that a member gets for points, or as a reward.', {
  id: Type.Refine(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      not: { enum: reservedBenefitIds },
      description: 'The benefit_id: what the shop and its members name it by. Never used twice.',
      must: `1 to 64 small letters, digits and hyphens, the first no hyphen, and none of ${reservedBenefitIds.join(', ')}`,
    }),
    (id) => !reservedBenefitIds.includes(id),
  ),
  benefit_type: otherwise(
    oneOf(
      benefitTypes,
      'normal is for sale in the catalog; the others are handed out by the reward or tier of that kind.',
    ),
    'normal',
  ),
  type: oneOf(discountTypes, 'What it does at the till.'),
  title: line(200, 'Its name in the catalog.'),
  description: otherwise(
    Type.Refine(
      Type.String({
        maxLength: 2000,
        description: 'What a member should know about it.',
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
      'Points that it costs. A normal benefit has to say it, 0 where it is free; the others cost nothing.',
    ),
    0,
  ),
  value: nullable(
    decimal(
      0,
      TRILLION,
      'Percentage of a percentage_discount, amount of an absolute_discount; none for a free_product.',
    ),
  ),
  product: nullable(product),
  color: nullable(color('Colour of its card.')),
  image: nullable(webAddress('Picture of it.')),
  expiration: nullable(instant('When it leaves the catalog, and its codes end.')),
  valid_days: nullable(wholeNumber(1, 3650, 'Days that a code is good for after it is issued.')),
  buy_limit: otherwise(
    wholeNumber(0, Number.MAX_SAFE_INTEGER, 'How many may be sold in all; 0 is no limit.'),
    0,
  ),
  on_sale: otherwise(yesOrNo('false takes it out of the catalog for a while; its codes stay good.'), true),
  shop_coupon: nullable(shopCoupon),
});

const reward = {
  points: nullable(wholeNumber(1, BILLION, 'Points that are handed out. Either this or a benefit.')),
  benefit: nullable(line(64, 'Id of the benefit that is handed out, of the benefit_type of this reward.')),
};

/** The checked model. Fields with a `default` may be omitted or null in a file; a Program has every one. */
export const programSchema = section('The program of a commerce.', {
  slug: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
    description: 'Names the commerce for good: applying the file again updates the commerce of this slug.',
    must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
  }),
  name: line(100, 'Name of the shop, as members read it.'),
  sandbox: otherwise(
    yesOrNo('A place to try things: its clock can be moved. Never for real members.'),
    false,
  ),
  status: otherwise(oneOf(['active', 'paused'], 'While paused no purchase is taken.'), 'active'),
  logo: nullable(webAddress('Picture of the logo.')),
  color: nullable(color('Brand colour. Quote it: in YAML a bare # begins a comment.')),
  category_name: nullable(line(100, 'What kind of shop it is.')),
  currency: Type.String({
    pattern: '^[A-Z]{3}$',
    description: 'Currency of every amount, by its ISO 4217 code.',
    must: 'an ISO 4217 code of three capital letters, such as EUR',
  }),
  time_zone: Type.Refine(
    Type.String({
      description: 'IANA time zone; every day of the program is a day there.',
      must: 'the name of an IANA time zone, such as Europe/Madrid',
    }),
    isTimeZone,
  ),
  locale: otherwise(
    Type.Refine(
      Type.String({
        description: 'Language of mails and pages, as a BCP 47 tag.',
        must: 'a language tag such as en or es-AR',
      }),
      isLocale,
    ),
    'en',
  ),
  earning: section('How purchases earn points.', {
    money_per_point: decimal(0.001, BILLION, 'Currency units for one point.'),
    max_amount: otherwise(
      wholeNumber(1, TRILLION, 'Ceiling of one purchase, in whole currency units.'),
      BILLION,
    ),
    returns: otherwise(
      oneOf(
        ['negative', 'clamp', 'refuse'],
        'A return whose points are already spent: leaves a debt, takes what is there, or is refused.',
      ),
      'negative',
    ),
    double_points: listOf(
      section('A window in which purchases earn double.', {
        from: instant('Its first instant.'),
        to: instant('Its end, the first instant outside.'),
      }),
      1000,
      'When purchases earn double points.',
    ),
  }),
  points_expiration: otherwise(
    section('When points expire.', {
      mode: otherwise(
        oneOf(
          ['none', 'rolling', 'accumulated'],
          'none: never. rolling: each grant on its own. accumulated: the whole balance, by the last purchase or exchange.',
        ),
        'none',
      ),
      months: nullable(wholeNumber(1, 120, 'Months until then; without effect where mode is none.')),
    }),
    {},
  ),
  levels: otherwise(
    section('The tiers.', {
      threshold_type: otherwise(
        oneOf(
          ['points', 'amount'],
          'What thresholds are measured in: points earned, or amount spent, in a lifetime.',
        ),
        'points',
      ),
      valid_months: nullable(
        wholeNumber(1, 120, 'Months that a tier is held once reached; null is for ever.'),
      ),
      ladder: listOf(
        section('A tier.', {
          id: nullable(
            Type.String({
              pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
              description:
                'Names the tier for good, even if its name or place changes. Omitted, the tier is found by its name; a tier that is added gets an id made from its name.',
              must: '1 to 64 small letters, digits and hyphens, the first no hyphen',
            }),
          ),
          name: line(100, 'Its name.'),
          threshold: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'The figure at which it is reached.'),
          points_multiplier: otherwise(
            decimal(0, 1000, 'What purchases of its members are multiplied by.'),
            1,
          ),
          icon_url: nullable(webAddress('Picture of it.')),
          benefit: nullable(
            line(64, 'Id of the benefit, of benefit_type level, that is handed out on reaching it.'),
          ),
        }),
        100,
        'The tiers, lowest first.',
      ),
    }),
    {},
  ),
  benefits: listOf(benefit, 1000, 'What members buy with points or are given.'),
  rewards: otherwise(
    section('What is handed out by itself.', {
      welcome: nullable(section('On joining, once for ever.', reward)),
      birthday: nullable(section('On the birthday of a member.', reward)),
      monthly_top: nullable(
        section('To the member who bought the most in a month.', {
          ...reward,
          settle_days: otherwise(
            wholeNumber(0, 28, 'Days after the end of the month before it is awarded.'),
            3,
          ),
        }),
      ),
    }),
    {},
  ),
  mail: otherwise(
    section('Mail to members.', {
      sender: nullable(line(100, 'Name that mails come from; null is the name of the shop.')),
      reminders: otherwise(yesOrNo('Whether members are told before points expire.'), false),
    }),
    {},
  ),
});

/** `at` says whether the key itself is wrong or what stands there. Indexes of lists count from 0. */
export interface ProgramProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly at: 'key' | 'value';
}

/** What a file may say: the program, and where the clock of a new sandbox starts. */
export const programFileSchema = Type.Object(
  {
    ...programSchema.properties,
    clock: nullable(instant('Where the clock of a sandbox starts; at creation only.')),
  },
  { description: 'The program file of a commerce.', additionalProperties: false },
);

export type Program = Static<typeof programSchema>;
export type ProgramBenefit = Program['benefits'][number];
