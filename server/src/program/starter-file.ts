import { stringify } from 'yaml';
import { firstMaxAmount } from './first-max-amount.ts';

/** A shop's answers about itself before its first program file is written. */
export interface Starter {
  readonly slug: string;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly locale: string;
  readonly moneyPerPoint: number;
  /** 0 for no welcome reward. */
  readonly welcomePoints: number;
  readonly tiers: boolean;
  readonly sandbox: boolean;
}

/**
 * Writes a program file to start from: small, complete and explained. The benefits are worth a twentieth of what was
 * spent on them, which is what most shops give.
 */
export function writeStarterFile(starter: Starter, file: string): string {
  const { slug, name, currency, timeZone, locale, moneyPerPoint, welcomePoints, tiers, sandbox } = starter;
  const words = locale.split('-')[0] === 'es' ? SPANISH : ENGLISH;
  const apply = `npx --no-install loyalty apply ${file}`;
  return `# The program of a shop. Apply the file again after every change:
#
#   ${apply} --dry-run   shows what would change
#   ${apply}             changes it
#
# docs/program-file.md explains every part, and docs/program-fields.md lists every field.

slug: ${text(slug)}  # for good: links and commands use it
name: ${text(name)}  # as members see it
sandbox: ${sandbox}  # ${sandbox ? 'to try things: its clock can be moved. Not for real members' : 'false: for real members'}. For good, too
color: "#0f5c6e"  # the color of the pages, in quotes because a bare # begins a comment
# logo: https://shop.example/logo.png
currency: ${text(currency)}  # amounts are in whole units of it
time_zone: ${text(timeZone)}  # all days are days here
locale: ${text(locale)}  # language of pages and mails: en or es, with or without a region

earning:
  money_per_point: ${moneyPerPoint}  # ${currency} for one point
  max_amount: ${firstMaxAmount(moneyPerPoint)}  # a larger purchase is refused, such as a code typed as an amount
  # double_points:  # a weekend on which purchases earn twice as much
  #   - { from: 2027-03-05T00:00:00Z, to: 2027-03-08T00:00:00Z }

points_expiration:
  mode: rolling  # each purchase's points expire by themselves. none: points never expire
  months: 12
${tiers ? writeLevels(words) : NO_LEVELS}
benefits:
  - id: small-discount  # the benefit_id. Never use one again for something else
    type: absolute_discount  # or percentage_discount, or free_product
    title: ${text(words.small)}
    description: ${text(words.onOnePurchase)}
    cost: 100  # in points, so for ${round(100 * moneyPerPoint)} ${currency} spent
    value: ${round(5 * moneyPerPoint)}  # ${currency} off
    valid_days: 30  # from the moment a member buys it
    # The same discount for an online shop. Without it, the code is for the till only.
    shop_coupon: { type: absolute, value: ${round(5 * moneyPerPoint)} }  # or percentage, or shipping
  - id: big-discount
    type: absolute_discount
    title: ${text(words.big)}
    description: ${text(words.onOnePurchase)}
    cost: 250
    value: ${round(15 * moneyPerPoint)}
    valid_days: 30
    shop_coupon: { type: absolute, value: ${round(15 * moneyPerPoint)} }
${tiers ? writeTierGift(words) : ''}${writeRewards(welcomePoints)}
mail:
  reminders: false  # true: a mail before points expire
`;
}

const ENGLISH = {
  small: 'A small thank-you',
  big: 'A big thank-you',
  onOnePurchase: 'Off one purchase',
  ladder: ['Member', 'Friend', 'Best friend'],
  gift: '10% off',
  giftText: 'Welcome among our best friends',
};

type Words = typeof ENGLISH;

const SPANISH: Words = {
  small: 'Un pequeño gracias',
  big: 'Un gran gracias',
  onOnePurchase: 'De descuento en una compra',
  ladder: ['Socio', 'Amigo', 'Gran amigo'],
  gift: '10 % de descuento',
  giftText: 'Bienvenido entre nuestros grandes amigos',
};

function writeLevels({ ladder: [first, second, third] }: Words): string {
  return `
levels:
  threshold_type: points  # earned over a lifetime, so spending points never costs a tier. Or: amount
  ladder:  # lowest first
    - { id: tier-1, name: ${text(first!)}, threshold: 0 }
    - { id: tier-2, name: ${text(second!)}, threshold: 500, points_multiplier: 1.25 }  # a quarter more points
    - { id: tier-3, name: ${text(third!)}, threshold: 2000, points_multiplier: 1.5, benefit: tier-gift }
`;
}

const NO_LEVELS = `
# levels:  # tiers that members climb
#   ladder:
#     - { id: tier-1, name: Member, threshold: 0 }
#     - { id: tier-2, name: Friend, threshold: 500, points_multiplier: 1.25 }
`;

function writeTierGift({ gift, giftText }: Words): string {
  return `  - id: tier-gift
    benefit_type: level  # given by the tier that names it, and not for sale
    type: percentage_discount
    title: ${text(gift)}
    description: ${text(giftText)}
    value: 10
    valid_days: 60
    shop_coupon: { type: percentage, value: 10 }
`;
}

function writeRewards(welcomePoints: number): string {
  if (welcomePoints > 0) {
    return `
rewards:
  welcome: { points: ${welcomePoints} }  # for joining, once per person. Or: { benefit: ID }
  # birthday: { points: 100 }
`;
  }
  return `
# rewards:
#   welcome: { points: 50 }  # for joining, once per person. Or: { benefit: ID }
#   birthday: { points: 100 }
`;
}

/** Returns a text as YAML reads it back: in quotes if it must be. */
function text(value: string): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

/** Removes what binary fractions add: 5 × 0.1 is 0.5. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
