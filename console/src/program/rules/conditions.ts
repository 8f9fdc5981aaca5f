/** The conditions of a rule, in the order of its sentence, with how each begins and ends. */
import type { Program } from '@loyalty/sdk/admin';
import { addDays, instantOf, localTimeOf } from '../zone.ts';
import type { Rule } from './sentence.ts';

interface Kind {
  readonly isSet: (rule: Rule) => boolean;
  /** Returns the rule with a usual value. One that has none is returned as it is. */
  readonly begin: (rule: Rule, program: Program) => Rule;
  readonly end: (rule: Rule) => Rule;
}

type When = Rule['when'];

const asks = (rule: Rule, when: Partial<When>): Rule => ({ ...rule, when: { ...rule.when, ...when } });

type Lists = 'products' | 'categories' | 'channels' | 'branches' | 'registers' | 'levels' | 'weekdays';

function list<Name extends Lists>(name: Name, usual?: When[Name]): Kind {
  return {
    isSet: ({ when }) => when[name].length > 0,
    begin: (rule) => (usual === undefined ? rule : asks(rule, { [name]: usual })),
    end: (rule) => asks(rule, { [name]: [] }),
  };
}

export const CONDITIONS = {
  products: list('products'),
  categories: list('categories'),
  hours: {
    isSet: ({ when }) => when.hours !== null,
    begin: (rule) => asks(rule, { hours: { from: '07:00', to: '10:00' } }),
    end: (rule) => asks(rule, { hours: null }),
  },
  weekdays: list('weekdays', ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']),
  dates: {
    isSet: ({ from, to }) => from !== null || to !== null,
    begin: (rule, { time_zone: zone }) => ({ ...rule, to: inAMonth(zone) }),
    end: (rule) => ({ ...rule, from: null, to: null }),
  },
  min_amount: {
    isSet: ({ when }) => when.min_amount !== null,
    begin: (rule) => asks(rule, { min_amount: 20 }),
    end: (rule) => asks(rule, { min_amount: null }),
  },
  levels: list('levels'),
  first_purchase: {
    isSet: ({ when }) => when.first_purchase,
    begin: (rule) => asks(rule, { first_purchase: true }),
    end: (rule) => asks(rule, { first_purchase: false }),
  },
  joined_days: {
    isSet: ({ when }) => when.joined_days !== null,
    begin: (rule) => asks(rule, { joined_days: 30 }),
    end: (rule) => asks(rule, { joined_days: null }),
  },
  branches: list('branches'),
  registers: list('registers'),
  channels: list('channels'),
  limit: {
    isSet: ({ limit }) => limit !== null,
    begin: (rule) => ({ ...rule, limit: { times: 1, per: 'day' } }),
    end: (rule) => ({ ...rule, limit: null }),
  },
} satisfies Readonly<Record<string, Kind>>;

export type Condition = keyof typeof CONDITIONS;

function inAMonth(zone: string): string | null {
  const today = localTimeOf(new Date().toISOString(), zone).slice(0, 10);
  return instantOf(`${addDays(today, 31)}T00:00`, zone);
}
