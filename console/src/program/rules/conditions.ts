/** The conditions of a rule or a stamp card, in the order of its sentence, with how each begins and ends. */
import type { Program } from '@loyalty/sdk/admin';
import { addDays, instantOf, localTimeOf } from '../zone.ts';
import type { Rule } from './sentence.ts';

/** What has conditions. */
export interface Asking {
  readonly when: Rule['when'];
}

export interface Kind<Has extends Asking> {
  readonly isSet: (of: Has) => boolean;
  /** Returns it with a usual value. One that has none is returned as it is. */
  readonly begin: <Of extends Has>(of: Of, program: Program, now: string) => Of;
  readonly end: <Of extends Has>(of: Of) => Of;
}

type When = Rule['when'];

const asks = <Of extends Asking>(of: Of, when: Partial<When>): Of => ({
  ...of,
  when: { ...of.when, ...when },
});

export const NO_CONDITIONS: When = {
  products: [],
  categories: [],
  channels: [],
  branches: [],
  registers: [],
  weekdays: [],
  hours: null,
  levels: [],
  first_purchase: false,
  min_amount: null,
  joined_days: null,
};

type Lists = 'products' | 'categories' | 'channels' | 'branches' | 'registers' | 'levels' | 'weekdays';

function list<Name extends Lists>(name: Name, usual?: When[Name]): Kind<Asking> {
  return {
    isSet: ({ when }) => when[name].length > 0,
    begin: (of) => (usual === undefined ? of : asks(of, { [name]: usual })),
    end: (of) => asks(of, { [name]: [] }),
  };
}

/** Those of a stamp card. */
export const CARD_CONDITIONS = {
  products: list('products'),
  categories: list('categories'),
  hours: {
    isSet: ({ when }) => when.hours !== null,
    begin: (of) => asks(of, { hours: { from: '07:00', to: '10:00' } }),
    end: (of) => asks(of, { hours: null }),
  },
  weekdays: list('weekdays', ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']),
  min_amount: {
    isSet: ({ when }) => when.min_amount !== null,
    begin: (of) => asks(of, { min_amount: 20 }),
    end: (of) => asks(of, { min_amount: null }),
  },
  levels: list('levels'),
  first_purchase: {
    isSet: ({ when }) => when.first_purchase,
    begin: (of) => asks(of, { first_purchase: true }),
    end: (of) => asks(of, { first_purchase: false }),
  },
  joined_days: {
    isSet: ({ when }) => when.joined_days !== null,
    begin: (of) => asks(of, { joined_days: 30 }),
    end: (of) => asks(of, { joined_days: null }),
  },
  branches: list('branches'),
  registers: list('registers'),
  channels: list('channels'),
} satisfies Readonly<Record<string, Kind<Asking>>>;

/** Those of a rule. */
export const CONDITIONS = {
  ...CARD_CONDITIONS,
  dates: {
    isSet: ({ from, to }) => from !== null || to !== null,
    begin: (rule, { time_zone: zone }, now) => ({ ...rule, to: aMonthAfter(now, zone) }),
    end: (rule) => ({ ...rule, from: null, to: null }),
  },
  limit: {
    isSet: ({ limit }) => limit !== null,
    begin: (rule) => ({ ...rule, limit: { times: 1, per: 'day' } }),
    end: (rule) => ({ ...rule, limit: null }),
  },
} satisfies Readonly<Record<string, Kind<Rule>>>;

export type Condition = keyof typeof CONDITIONS;

function aMonthAfter(now: string, zone: string): string | null {
  const today = localTimeOf(now, zone).slice(0, 10);
  return instantOf(`${addDays(today, 31)}T00:00`, zone);
}
