import type { Line } from '../letter.ts';
import {
  writeCount,
  writeDay,
  writeLinkWithToken,
  writeMonth,
  writeMultiplier,
  type Feet,
  type Letters,
  type Pages,
} from './letters.ts';

/** The letters in English. */
export const english: Letters = {
  'sign-in-code': (name, { code, token, purpose }, pages) => ({
    subject: `${code} is your code for ${name}`,
    lines:
      purpose !== 'member'
        ? writeStaffCode[purpose](name, code, token, pages)
        : [
            `Your sign-in code for ${name}:`,
            { code },
            'It is valid for 10 minutes and works only once. Do not share it with anyone: the shop will never ask for it.',
            ...writeLinkWithToken(token, 'Or sign in without typing the code:', {
              link: pages.club,
              label: 'Sign in',
            }),
            'If you did not ask for this code, you can ignore this e-mail.',
          ],
  }),
  'set-up-code': (_name, { code }) => ({
    subject: `${code} is your code to set up your shop`,
    lines: [
      'Your code to set up your shop:',
      { code },
      'It is valid for 10 minutes and works only once. Do not share it with anyone: whoever has it can become the owner of your shop.',
      'If you did not ask for this code, you can ignore this e-mail.',
    ],
  }),
  invitation: (name, { points }, { club }) => ({
    subject: `Your points at ${name} are waiting for you`,
    lines: [
      { heading: 'Your points are waiting for you' },
      `You earned points with a purchase at ${name}. They are waiting for you under this e-mail address.`,
      ...(points !== null && points > 0
        ? [{ figure: writeCount(points, 'point', 'en'), caption: `from ${name}` }]
        : []),
      'Sign in with this address to see your points and trade them for benefits. You do not need a password:',
      { link: club, label: 'See my points' },
      'If this was not you, you can ignore this e-mail.',
    ],
  }),
  'staff-invitation': (name, { role }, pages) => ({
    subject: `You can now work in the console of ${name}`,
    lines: [
      `An owner of ${name} has given you a role in its console: ${role}.`,
      'Sign in with this e-mail address. You do not need a password: a code is mailed to you each time.',
      { link: pages.console, label: 'Open the console' },
      'If you do not work there, you can ignore this e-mail.',
    ],
  }),
  'webhook-disabled': (name, { host, because }, pages) => ({
    subject: `Webhooks of ${name} to ${host} were switched off`,
    lines: [
      because === 'gone'
        ? `The receiver at ${host} has answered that it is gone (410), so nothing is sent to it any more.`
        : `The receiver at ${host} has taken nothing for five days, so nothing is sent to it any more.`,
      'What happens at the shop is kept. Once the receiver works again, switch the webhook on, and it goes on where it stopped.',
      { link: pages.console, label: 'Open the console' },
    ],
  }),
  'expiry-reminder': (name, { points, expiresOn, daysLeft }, { club }) => ({
    subject: `${writeCount(points, 'point', 'en')} at ${name} will expire on ${writeDay(expiresOn, 'en')}`,
    lines: [
      { heading: 'Use your points before they expire' },
      `You have until ${writeDay(expiresOn, 'en')} to use ${writeCount(points, 'point', 'en')} at ${name}.`,
      {
        figure: writeCount(points, 'point', 'en'),
        caption: daysLeft === 0 ? 'today is the last day' : `${writeCount(daysLeft, 'day', 'en')} left`,
      },
      'Trade your points for a benefit before they expire:',
      { link: club, label: 'See my points' },
    ],
  }),
  welcome: (name, { points, benefit, balance }, { club }) => ({
    subject: `Welcome to ${name}`,
    lines: [
      { heading: `Welcome to ${name}` },
      'From now on your purchases earn points, and you trade points for benefits. Show your card or say your e-mail address at the till.',
      ...writeGift(points, benefit, 'a present for joining'),
      ...(points === null && benefit === null && balance > 0
        ? [{ figure: writeCount(balance, 'point', 'en'), caption: 'are yours already' }]
        : []),
      'Your card, your points and all benefits are on one page:',
      { link: club, label: 'Open my card' },
    ],
  }),
  birthday: (name, { points, benefit }, { club }) => ({
    subject: `Happy birthday from ${name}`,
    lines: [
      { heading: 'Happy birthday!' },
      `All of us at ${name} wish you a wonderful day. This is for you:`,
      ...writeGift(points, benefit, 'our present to you'),
      points === null ? 'Show its code at the till:' : 'Your points are in your account:',
      { link: club, label: 'See my present' },
    ],
  }),
  level: (name, { level, multiplierThousandths, benefit }, { club }) => ({
    subject: `You have reached ${level} at ${name}`,
    lines: [
      { heading: `You have reached ${level}` },
      `Thank you for coming back to ${name} again and again.`,
      ...(multiplierThousandths > 1000
        ? [
            {
              figure: `${writeMultiplier(multiplierThousandths, 'en')} × the points`,
              caption: 'for every purchase from now on',
            },
          ]
        : []),
      ...writeGift(null, benefit, `a present for reaching ${level}`),
      'See what your level gives you:',
      { link: club, label: 'See my level' },
    ],
  }),
  reward: (name, { month, points, benefit }, { club }) => ({
    subject: `A present from ${name} for ${writeMonth(month, 'en')}`,
    lines: [
      { heading: 'Thank you!' },
      `Nobody bought more at ${name} in ${writeMonth(month, 'en')} than you. This is for you:`,
      ...writeGift(points, benefit, `for ${writeMonth(month, 'en')}`),
      points === null ? 'Show its code at the till:' : 'Your points are in your account:',
      { link: club, label: 'See my present' },
    ],
  }),
};

export const englishFeet: Feet = {
  invitation: (name) => `You get this e-mail because this address was given for a purchase at ${name}.`,
  other: (name) => `You get this e-mail because you are a member at ${name}.`,
  choose: 'Choose your e-mails or stop them',
};

function writeGift(points: number | null, benefit: string | null, caption: string): readonly Line[] {
  if (points !== null) return [{ figure: writeCount(points, 'point', 'en'), caption }];
  return benefit === null ? [] : [{ figure: benefit, caption }];
}

/** The letters with the codes of the shop's own people. */
const writeStaffCode: Record<
  'staff' | 'step-up',
  (name: string, code: string, token: string, pages: Pages) => readonly Line[]
> = {
  staff: (name, code, token, pages) => [
    `Your code for the console of ${name}, where its staff works:`,
    { code },
    'It is valid for 10 minutes and works only once. Do not share it with anyone: whoever has it can work in your name.',
    ...writeLinkWithToken(token, 'Or sign in without typing the code:', {
      link: pages.console,
      label: 'Sign in',
    }),
    'If you did not ask for this code, you can ignore this e-mail.',
  ],
  'step-up': (name, code) => [
    `Your code to confirm what you are about to do in the console of ${name}:`,
    { code },
    'It is valid for 10 minutes and works only once. Do not share it with anyone.',
    'If you did not ask for this code, somebody is using your session: sign in to the console and sign out everywhere.',
  ],
};
