import type { Format } from '../../format.ts';

const people = (n: number, f: Format) => f.plural(n, { one: '1 member', other: `${f.number(n)} members` });
const points = (n: number, f: Format) => f.plural(n, { one: '1 point', other: `${f.number(n)} points` });

const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];

/** The texts of the review. */
export const en = {
  where: 'Where you are',
  title: (n: number, f: Format) =>
    `${WORDS[n] ?? f.number(n)} ${n === 1 ? 'change' : 'changes'}, not in force yet`,
  comparedWith: (version: string, day: string) =>
    `Compared with ${version.toLowerCase()}, in force since ${day}.`,
  keepEditing: 'Keep editing',
  publish: 'Publish',
  nothing: 'Nothing to review',
  nothingText: 'The program is as it is in force. Change something, then come back to see what it would do.',
  whatChanges: 'What changes',
  dropChange: (name: string) => `Put back: ${name}`,
  dropChangeShort: 'Put this change back',
  changeDropped: 'One change is put back.',
  notChecked: 'The changes could not be checked',
  problemsText: 'What the program would do is shown as soon as everything is right.',
  correct: 'Correct',

  rangeLabel: 'Compare over',
  ranges: { year: '12 months', quarter: '3 months', month: '30 days' },
  running: 'Replaying your purchases by the new rules…',
  runningText: 'Nothing is changed, and the till goes on as usual.',
  progress: (percent: number, purchases: string) => `${percent}%, ${purchases} purchases`,
  waiting: 'Waiting for its turn…',
  place: (place: number) => (place === 1 ? 'Next in line' : `Place ${place} in line`),
  waitingText:
    'Other shops are computing theirs. It begins by itself within minutes, if this page stays open.',
  stop: 'Stop',
  stopped: 'Stopped',
  stoppedText: 'You can publish without knowing the effect, or compute it again.',
  busy: 'Another what-if is running',
  busyText: 'The service computes only a few at once, so that the till stays fast. Try again in a moment.',
  late: 'That is too much to compute at once',
  lateText: 'Two minutes were not enough. Compare over a shorter time.',
  failed: 'The effect could not be computed',
  runAgain: 'Compute again',

  pointsGiven: 'Points that members would have earned',
  basis: (from: string, to: string, purchases: number, buyers: number, f: Format) =>
    purchases === 0
      ? `There were no purchases from ${from} to ${to}, so there is nothing to compare yet.`
      : `By the real ${f.plural(purchases, { one: 'purchase', other: `${f.number(purchases)} purchases` })} of ${people(buyers, f)}, from ${from} to ${to}.`,
  same: 'the same',
  insteadOf: 'instead of',
  more: (percent: string) => `${percent} more`,
  fewer: (percent: string) => `${percent} fewer`,
  inForce: 'As it was',
  proposed: 'Proposed',
  byMonth: 'Points by month',
  asTable: 'As a table',
  month: 'Month',
  purchases: 'Purchases',
  liability: 'Points that members would hold now',
  heldBy: (n: number, f: Format) => `By ${people(n, f)}. The shop owes them.`,
  endsWhen: 'When they end',
  never: 'never',
  expired: 'Points that would have ended unspent',
  expiredText: 'In the same time.',
  priceOf: (title: string) => `Price of ${title}`,
  stillPaid: (bought: number, payable: number, f: Format) =>
    bought === 0
      ? 'Nobody bought it in this time.'
      : `It was bought ${f.plural(bought, { one: 'once', other: `${f.number(bought)} times` })} in this time. ` +
        (payable === bought
          ? 'The points were enough for the new price, too.'
          : payable === 0
            ? 'The points would not have been enough for the new price.'
            : `The points were enough for the new price ${f.plural(payable, { one: 'once', other: `${f.number(payable)} times` })}.`),
  canPay: (now: number, before: number, f: Format) =>
    now === before
      ? `${people(now, f)} can afford it, as before.`
      : `${people(now, f)} could afford it, instead of ${f.number(before)}.`,
  byTier: 'By tier',
  tier: 'Tier',
  noTier: 'No tier',
  stamps: 'Stamp cards',
  card: 'Card',
  stampsColumn: 'Stamps',
  codesColumn: 'Codes of full cards',
  membersColumn: 'Members',
  pointsColumn: 'Points earned',
  impossible: {
    exchanges: (n: number, spent: number, f: Format) =>
      `${f.plural(n, { one: '1 benefit', other: `${f.number(n)} benefits` })} for ${points(spent, f)} could not have been paid for.`,
    purchases: (n: number, f: Format) =>
      `${f.plural(n, { one: '1 purchase', other: `${f.number(n)} purchases` })} would have been refused as too large.`,
    reversals: (n: number, f: Format) =>
      `${f.plural(n, { one: '1 return', other: `${f.number(n)} returns` })} would have been refused.`,
    adjustments: (n: number, f: Format) =>
      `${f.plural(n, { one: '1 adjustment', other: `${f.number(n)} adjustments` })} would have taken points that were not there.`,
  },
  whoChanges: 'Who changes most',
  changedInAll: (n: number, f: Format) => `${people(n, f)} would have another balance or tier.`,
  balance: 'Balance',
  earnedInRange: 'Earned',
  nameless: 'Without a name',
  openMember: 'Open this member',

  atOnce: 'At once, when you publish',
  nobodyMoves: 'Nobody changes tier, no point is taken, and no date moves.',
  moves: (n: number, from: string, to: string, f: Format) =>
    f.plural(n, { one: `1 member moves`, other: `${f.number(n)} members move` }) + ` from ${from} to ${to}`,
  gifts: (n: number, f: Format) =>
    f.plural(n, { one: `1 member gets`, other: `${f.number(n)} members get` }) + ' the gift of the new tier',
  redated: (n: number, members: number, f: Format) =>
    `${points(n, f)} of ${people(members, f)} get another last day`,

  publishTitle: 'Publish these changes?',
  publishText: 'They count for everybody at once, at the till and on the members’ pages.',
  publishNow: 'Publish now',
  lookingSince: 'Checking what has happened since…',
  since: 'Since you looked:',
  sinceNothing: 'Nothing has happened since you looked: the figures are as you saw them.',
  sincePurchases: (n: number, f: Format) =>
    f.plural(n, { one: '1 more purchase', other: `${f.number(n)} more purchases` }),
  sincePoints: (before: string, now: string) => `points earned ${now}, not ${before}`,
  sinceLiability: (before: string, now: string) => `points held ${now}, not ${before}`,
  lookingFailed: 'What has happened since you looked could not be checked.',
  notSeen: 'The effect of these changes has not been computed.',
  note: 'Note for the list of versions',
  noteHint: 'Why you change it. Only staff read it. Can be left empty.',
  unknown: 'No answer came, so it is not known whether it counted. Press again: it counts once.',

  inForceNow: (version: string) => `${version} is in force`,
  /** What counts from now on, by the part of the program that was changed. */
  countsNow: {
    purchases: 'The next purchase earns by it.',
    catalog: 'Members see the new catalog at once. Codes that they hold stay as they are.',
    mails: 'The next mails are sent by it.',
    pages: 'Members see it at once.',
    others: 'It counts from now on.',
  },
  inForceText: 'The version before is kept, and you can go back to it.',
  toProgram: 'To the program',
  goBack: (version: string) => `Go back to ${version.toLowerCase()}`,
  whatChanged: 'What changed',

  meanwhileText: (now: string, at: string) =>
    `${now} has been in force since ${at}. Your changes are still here, and nothing of the other version is overwritten.`,
  theirs: (version: string) => `Changed in ${version.toLowerCase()}`,
  theirsSame: (version: string) =>
    `Nothing: it has the same rules as ${version.toLowerCase()}, from which your changes began.`,
  mine: 'Your changes, not in force',
  conflicts: (n: number, f: Format) =>
    f.plural(n, {
      one: 'One value was changed by both',
      other: `${f.number(n)} values were changed by both`,
    }),
  conflictsText: 'Choose which one you want to publish.',
  takeMine: 'Yours',
  takeTheirs: 'In force now',
  mergeText: 'Both changes fit together. You can review the result before you publish it.',
  decideFirst: 'Choose above first.',
  merge: (version: string) => `Put my changes on ${version.toLowerCase()}`,
  merged: (version: string) => `Your changes are on top of ${version.toLowerCase()} now.`,
  drop: 'Discard my changes',
};
