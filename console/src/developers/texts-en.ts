import type { Format } from '../format.ts';

const members = (n: number, f: Format) => f.plural(n, { one: '1 member', other: `${f.number(n)} members` });

const times = (n: number, f: Format) => f.plural(n, { one: 'once', other: `${f.number(n)} times` });

type Unit = 'hours' | 'days' | 'weeks' | 'months' | 'years';

/** The texts of the page Developers in English, in whole sentences. */
export const en = {
  parts: { '': 'Keys', problems: 'Failed calls', commands: 'Commands', clock: 'Clock' },
  showMore: 'Show more',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser does not allow copying. Select the text and copy it yourself.',

  keysTitle: 'API keys',
  keysText: 'Your servers and scripts call the service with these. Give each one a key of its own.',
  createKey: 'Create a key',
  noKeys: 'No key is in use',
  noKeysText: 'Create one for your till or your online shop. You see it once, so have a safe place ready.',
  endedKeys: (n: number) => (n === 1 ? '1 key has ended' : `${n} keys have ended`),
  columns: {
    name: 'Key',
    used: 'Last used',
    created: 'Created',
    call: 'Call',
    answer: 'Answer',
    at: 'When',
    field: 'Name',
    calls: 'Sent by',
    last: 'Last',
  },
  acts: 'Actions',
  actsOf: (name: string) => `Actions for ${name}`,
  neverUsed: 'Never',
  contract: 'Till or online shop',
  ofBackOffice: (role: string) => `Back office: ${role}`,
  endsAt: (at: string) => `Ends ${at}`,
  replace: 'Replace',
  replaceHint: 'A new key, and time to change over',
  problemsOfKey: 'Failed calls',
  revoke: 'Revoke',

  createTitle: 'Create a key',
  nameOfKey: 'What is it for?',
  nameHint: 'Such as “Online shop” or “Till at the harbor”.',
  nameNeeded: 'Give it a name, so that you can tell your keys apart.',
  kindOfKey: 'What may it do?',
  kindHints: {
    contract: 'Records purchases, looks up members and redeems codes.',
    cashier: 'For a script that calls the back office as a cashier would.',
    manager: 'For a script that also reads and corrects members.',
    owner: 'For a script that may do almost everything. It cannot make keys or change the team.',
  },
  scopesTitle: 'Which calls are open to it?',
  scopeNeeded: 'Choose at least one.',
  usualScopes: 'The usual calls',
  scopes: {
    read: {
      name: 'Look up',
      hint: 'Members with their e-mail addresses, their codes, and purchases. Whoever has the key can read all addresses.',
    },
    purchases: { name: 'Purchases', hint: 'Records, previews and reverses them.' },
    redeem: { name: 'Redeem', hint: 'Looks codes up, holds them for a cart and uses them.' },
    orders: { name: 'Orders', hint: 'Reports the orders of an online shop.' },
    undo: { name: 'Undo uses', hint: 'Makes a used code good again, after a return.' },
    sign_in: { name: 'Sign members in', hint: 'Vouches for customers who are signed in at your shop.' },
    adjust: { name: 'Adjust points', hint: 'Adds and takes points.' },
    members: { name: 'Members in exports', hint: 'Exports all members, with names and addresses.' },
    reports: { name: 'Movements', hint: 'Exports all movements of points.' },
    events: { name: 'Events', hint: 'Follows what happens in the program.' },
  },
  replaceTitle: (name: string) => `Replace the key “${name}”`,
  overlap: 'The old key is accepted',
  overlaps: {
    0: 'No longer',
    1: 'For 1 hour more',
    24: 'For 24 hours more',
    168: 'For 7 days more',
    720: 'For 30 days more',
  },
  replaceNew: 'You get a new key with the same name and the same calls. It works at once.',
  replaceOld: (at: string) => `The old one is accepted until ${at}. Change all servers over until then.`,
  replaceAtOnce: 'Servers that still use the old one are refused within five seconds.',
  lastUsed: (at: string) => `This key was last used on ${at}.`,
  notUsedYet: 'This key has never been used.',
  revokeTitle: (name: string) => `Revoke the key “${name}”?`,
  revokeEffect: 'Servers that use it are refused within five seconds.',
  notUndone: 'This cannot be undone.',
  revoked: (name: string) => `The key “${name}” is revoked`,
  shownTitle: (name: string) => `The key for “${name}”`,
  shownText: 'Copy it now. It is not stored and cannot be shown again.',
  theKey: 'The key',
  tryIt: 'Try it',
  keepContract: 'Keep it on your server. In a web page or an app, everybody could read it.',
  keepBackOffice: 'Keep it with the script. It is good for the back office only.',
  kept: 'I have kept it',
  unknownKey:
    'No answer came. A key may have been made that nobody has seen. Close this, revoke it if it is in the list, and try again.',
  unknownRevoked: 'No answer came. Try again: revoking a key twice does no harm.',
  problems: {
    key_ended: 'This key has been replaced or revoked meanwhile. Nothing was done.',
    too_many_keys: 'The shop has 100 keys already. Revoke those that nobody uses.',
    clock_moving: 'The clock is on its way already. Wait until it has arrived.',
    not_a_sandbox: 'The clock cannot be moved there.',
  } as Readonly<Record<string, string>>,

  problemsTitle: 'Failed calls',
  problemsText:
    'Calls of your keys that were refused or failed, of the last seven days. What was sent is not kept: find it in your own log by the request id.',
  ofKey: 'Key',
  allKeys: 'All keys',
  copyRequest: 'Copy the request id',
  noProblems: 'No call has failed in the last seven days',
  noProblemsText: 'A call that fails appears here after a few seconds.',

  ignoredTitle: 'Sent in vain',
  ignoredText:
    'Fields, parameters and headers that the service does not know and ignored, of the last thirty days: most are misspelled. Values are not kept.',
  callsOf: (count: string, n: number) => (n === 1 ? '1 call' : `${count} calls`),

  commandsTitle: 'Commands',
  commandsText:
    'Every call of the interface, with the ids of your shop. Those that record or redeem do so for real.',
  reference: 'All fields and answers are in the reference.',
  before: 'Put your key into the terminal first. It is not stored, so it cannot stand here.',
  tags: {} as Readonly<Record<string, string>>,
  credentials: {
    key: 'With your API key, from your server.',
    user: 'With the access token of a member: the answer to signing in with a code.',
    header: 'Without a key, also from a web page.',
  },

  clockTitle: 'Clock of the sandbox',
  clockText:
    'Move the time of your program forward and see what happens: points expire, birthdays come, tiers end.',
  clockNow: 'For the program it is',
  count: 'Number',
  unit: 'Unit',
  units: { hours: 'Hours', days: 'Days', weeks: 'Weeks', months: 'Months', years: 'Years' },
  duration: (n: number, unit: Unit, f: Format) =>
    f.plural(n, { one: `1 ${unit.slice(0, -1)}`, other: `${n} ${unit}` }),
  moveClock: 'Move',
  countProblem: 'Enter a whole number from 1 to 10,000.',
  onlyForward: 'A clock only moves forward. In a sandbox nothing is real, but what falls due stays done.',
  onItsWay: (to: string) => `On its way to ${to}. What falls due happens in order, so this may take a while.`,
  moved: (from: string, to: string) => `${from} → ${to}`,
  nothingDue: 'Nothing fell due.',
  due: {
    'expire-points': (n: number, f: Format) => `Points expired ${times(n, f)}`,
    'expire-tiers': (n: number, f: Format) => `Tiers ended or were renewed ${times(n, f)}`,
    birthdays: (n: number, f: Format) =>
      f.plural(n, { one: '1 birthday reward', other: `${f.number(n)} birthday rewards` }),
    'monthly-top': (n: number, f: Format) => `The best customer of a month was rewarded ${times(n, f)}`,
    reminders: (n: number, f: Format) => `Reminders of points that end: ${f.number(n)}`,
  } as Readonly<Record<string, (n: number, f: Format) => string>>,
  dueFailed: (n: number, f: Format) => `Something failed for ${members(n, f)}. It is tried again.`,
  stopped: 'It stopped on the way. Move the clock again to go on.',
  movesBefore: 'Earlier',
  commandLine: 'Command line',
  realClock: (now: string) => `It is ${now}`,
  realClockText:
    'The members of this shop are real, so its clock cannot be moved. Ask for a sandbox to try what time does.',
};
