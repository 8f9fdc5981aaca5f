import type { StaffRole } from '@loyalty/sdk/admin';
import type { Format } from '../format.ts';

/** The frame's texts in English. They are whole sentences, so each language can choose its own word order. */
export const en = {
  console: 'Console',
  skip: 'Skip to content',
  loading: 'Loading…',
  retry: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  pages: 'Pages',
  morePages: 'More',
  points: (n: number, f: Format) =>
    f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` }),

  till: 'Till',
  members: 'Members',
  program: 'Program',
  noName: 'No name yet',
  roles: { cashier: 'Cashier', manager: 'Manager', owner: 'Owner' } satisfies Record<StaffRole, string>,
  states: {
    invited: 'Invited',
    member: 'Member',
    left: 'Left',
    blocked: 'Blocked',
    erased: 'Erased',
  },

  shops: 'Change shop',
  account: 'Your account',
  signOut: 'Sign out',
  signOutHint: 'On this device',
  signOutEverywhere: 'Sign out everywhere',
  signOutEverywhereHint: 'On all your devices',
  signOutFailed: 'You are still signed in: there was no answer. Try again.',
  keyboard: 'Keyboard shortcuts',
  keys: {
    search: 'Search',
    palette: 'Search, and everything you can do',
    close: 'Close a dialog or a menu',
    next: 'Next field or button',
    move: 'Move in a list or a menu',
    help: 'This help',
    enter: 'Open or record',
    single: 'Use / and ? alone. Ctrl K always works.',
  },

  sandbox: 'Sandbox',
  sandboxDay: (day: string) => `Sandbox · ${day}`,
  sandboxLong: (day: string) => `This is a sandbox. For its program it is ${day}. Nothing here is real.`,
  offline: 'No connection. What you have typed stays here. Nothing is recorded until the connection is back.',
  online: 'The connection is back.',

  search: 'Member, code, voucher or movement',
  searchTitle: 'Search',
  searchResults: 'Results',
  searchActions: 'Actions',
  searching: 'Searching…',
  searchNothing: 'Nothing found. Try a code, an e-mail address, or the beginning of a name.',
  searchCount: (n: number, f: Format) => f.plural(n, { one: '1 result', other: `${f.number(n)} results` }),
  actions: {
    till: 'Go to the till',
    members: 'Go to members',
    program: 'Go to the program',
    record: 'Record a purchase',
    find: 'Find a member',
    signOut: 'Sign out',
    keyboard: 'Show keyboard shortcuts',
    shop: (name: string) => `Go to ${name}`,
  },
  foundVoucher: (title: string) => `Code for ${title}`,
  foundMovement: (id: string) => `Movement ${id}`,
  foundStranger: (email: string) => `${email} is not a member yet`,
  foundStrangerHint: 'A purchase can be recorded. The points wait for this person.',

  voucherStates: {
    usable: 'Ready to use',
    used: 'Used',
    expired: 'Expired',
    given_back: 'Given back',
    void: 'Taken back',
  },

  welcome: 'Sign in',
  welcomeText: 'For the people of the shop. We send you a code by e-mail.',
  email: 'E-mail address',
  emailProblem: 'Enter your whole e-mail address, such as name@shop.com.',
  sendCode: 'Send me a code',
  codeTitle: 'Check your e-mail',
  codeText: (email: string) =>
    `If ${email} belongs to a shop here, a code is on its way to it. It is good for ten minutes.`,
  code: 'Six-digit code',
  codeWrong: 'This code is wrong or too old. Check the newest e-mail, or ask for a new code.',
  codeShort: 'The code has six digits.',
  newCode: 'Send a new code',
  newCodeSent: 'A new code is on its way.',
  otherEmail: 'Use another address',
  enter: 'Sign in',
  linkTitle: 'Sign in to the console',
  linkText: 'You have opened the link from your e-mail. It works once.',
  linkWrong: 'This link has been used or is too old. Ask for a new code below.',

  againTitle: 'Sign in again',
  againText:
    'Your session has ended. What you have typed is still here, and goes on after you have signed in.',
  againCode: (email: string) => `We have sent a code to ${email}.`,
  againOther: 'Sign in as somebody else',
  againOtherHint: 'This leaves the page. What you have typed is lost.',
  freshTitle: 'Is it still you?',
  freshText: (email: string) =>
    `This needs a code that is less than 15 minutes old. We have sent one to ${email}. Nothing has been done yet.`,
  freshEnter: 'Go on',
  sendingCode: 'Sending a code…',

  noShopTitle: 'You are not part of this shop',
  noShopText: 'The address may be wrong, or your role here has been taken away. Ask the owner of the shop.',
  noShopsTitle: 'You have no shop any more',
  noShopsText: 'Ask the owner of the shop to invite you again.',
  notYoursTitle: 'This page is not for your role',
  notYoursText: (role: string) =>
    `Your role here is ${role}. Ask the owner of the shop if you need this page.`,
  toTill: 'To the till',
  noPageTitle: 'There is no page here',
  noPageText: 'The address may be mistyped, or the page has moved.',

  problem: {
    title: 'That did not work',
    awayTitle: 'No connection',
    away: 'The service did not answer. What you have typed is still here. Check the connection and try again.',
    ours: 'Something went wrong on our side. Nothing has been changed. Try again in a moment.',
    tooMany: (seconds: number) =>
      seconds > 90
        ? `Too many tries from here. Try again in ${Math.ceil(seconds / 60)} minutes.`
        : `Too many tries from here. Try again in ${seconds} seconds.`,
    role: 'Your role does not allow this. Ask the owner of the shop.',
    signedOut: 'You are signed out. Sign in, then try again.',
    request: (id: string) => `If you ask for help, name this number: ${id}`,
    crashed: 'This page has stopped working. Nothing that was recorded is lost. Reload it.',
    reload: 'Reload',
  },
};
