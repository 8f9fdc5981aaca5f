/**
 * Every part of `src/ui` in every state, and the parts that show a benefit, a code or a tier, on one page. `npm run parts` shows it; a test
 * reads it with axe, and fails if a part of `src/ui` is missing.
 */
import {
  createMemberClient,
  type Benefit,
  type Level,
  type PublicLevel,
  type RedeemableBenefit,
} from '@loyalty/sdk';
import { Fragment, render, type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { BenefitCard, GetButton, Missing } from '../src/benefit-card.tsx';
import { ClubProvider } from '../src/club.ts';
import { Codes } from '../src/codes.tsx';
import { createFormat, textsOf } from '../src/format.ts';
import { Tier } from '../src/tier.tsx';
import { Dialog } from '../src/ui/dialog.tsx';
import { Empty } from '../src/ui/empty.tsx';
import { Field } from '../src/ui/field.tsx';
import { Icon, ICONS } from '../src/ui/icon.tsx';
import { Drawing, KINDS, Picture } from '../src/ui/picture.tsx';
import { NeedsConnection, Problem } from '../src/ui/problem.tsx';
import { QrPicture } from '../src/ui/qr-picture.tsx';

const NOTHING = () => {};
const NOW = new Date('2026-03-14T12:00:00Z');

const cake: Benefit = {
  id: 'cake',
  type: 'free_product',
  description: 'Baked this morning.',
  cost: 120,
  expiration: null,
  benefit_type: 'normal',
  color: '#b0203f',
  buy_limit: null,
  prize: {
    type: 'free_product',
    title: 'A slice of cake',
    description: null,
    value: null,
    product: null,
    expiration: null,
    image: null,
  },
  shop_coupon: null,
};
const ending: Benefit = { ...cake, id: 'ending', expiration: '2026-03-20T23:59:59Z' };

const code: RedeemableBenefit = {
  client_benefit_code: 12_345_678_901_234,
  issue_date: '2026-03-01T09:00:00Z',
  due_date: null,
  used: false,
  benefit: cake,
};
const codes: RedeemableBenefit[] = [
  code,
  { ...code, client_benefit_code: 12_345_678_901_235, due_date: '2026-03-15T23:59:59Z' },
  { ...code, client_benefit_code: 12_345_678_901_238, due_date: '2026-03-15T10:15:00Z' },
  { ...code, client_benefit_code: 12_345_678_901_236, used: true },
  { ...code, client_benefit_code: 12_345_678_901_237, due_date: '2026-02-01T23:59:59Z' },
];

const level: Level = {
  name: 'Regular',
  rank: 1,
  points_multiplier: 1.5,
  icon_url: null,
  reached_at: '2026-01-05T10:00:00Z',
  expiration_date: null,
  is_expired: false,
  next_level: { name: 'Friend', rank: 2, threshold_type: 'points', threshold: 500 },
  total_earned_points: 320,
  total_spent_amount: 640,
  total_consumptions_count: 41,
};

const step = { points_multiplier: 1, icon_url: null, benefit: null };
const ladder: PublicLevel[] = [
  { ...step, id: 'regular', rank: 1, name: 'Regular', threshold: 0 },
  { ...step, id: 'friend', rank: 2, name: 'Friend', threshold: 500, benefit: cake },
];

/** The states of each part, by its name. */
const PARTS: Readonly<Record<string, Readonly<Record<string, ComponentChildren>>>> = {
  Field: {
    empty: <Field label="Name" value="" onInput={NOTHING} />,
    'with a hint': <Field label="Phone" value="" type="tel" hint="Only for the shop." onInput={NOTHING} />,
    'with a problem': (
      <Field label="E-mail address" value="ana@" problem="Write the whole address." onInput={NOTHING} />
    ),
  },
  Icon: {
    all: (
      <p>
        {ICONS.map((name) => (
          <Fragment key={name}>
            <Icon name={name} /> {name}{' '}
          </Fragment>
        ))}
      </p>
    ),
  },
  Picture: {
    'of a benefit without one': (
      <span class="thumb">
        <Picture benefit={cake} />
      </span>
    ),
  },
  Drawing: Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      <span class="thumb" key={kind}>
        <Drawing kind={kind} />
      </span>,
    ]),
  ),
  QrPicture: { usual: <QrPicture text="123456789" label="The code 123 456 789" /> },
  Empty: {
    usual: (
      <Empty icon="history" text="Your purchases will be here.">
        <a class="button compact" href="#benefits">
          See the benefits
        </a>
      </Empty>
    ),
  },
  NeedsConnection: { usual: <NeedsConnection sentence="Your history needs a connection." /> },
  Problem: {
    usual: <Problem sentence="The shop does not answer." retry="Try again" onRetry={NOTHING} />,
    busy: <Problem sentence="The shop does not answer." retry="Try again" busy onRetry={NOTHING} />,
  },
  Dialog: {
    usual: (
      <Opened label="Open a dialog">
        {(close) => (
          <Dialog title="A slice of cake" onClose={close}>
            <p>It costs 120 points.</p>
          </Dialog>
        )}
      </Opened>
    ),
    locked: (
      <Opened label="Open a dialog that is locked">
        {(close) => (
          <Dialog title="A moment" locked onClose={NOTHING}>
            <button type="button" class="button" onClick={close}>
              Close it all the same
            </button>
          </Dialog>
        )}
      </Opened>
    ),
  },
  BenefitCard: {
    'that can be had': (
      <ul class="columns">
        <BenefitCard benefit={cake} heading="h3">
          <GetButton benefit={cake} onBuy={NOTHING} />
        </BenefitCard>
      </ul>
    ),
    'that ends, and costs more': (
      <ul class="columns">
        <BenefitCard benefit={ending} heading="h3">
          <Missing cost={120} points={45} />
        </BenefitCard>
      </ul>
    ),
  },
  Tier: {
    'on the way': <Tier ladder={ladder} level={level} />,
    'of a ladder with many steps': <Tier ladder={[]} level={level} />,
    'at the top': <Tier ladder={ladder} level={{ ...level, rank: 2, next_level: null }} />,
    'that has ended': <Tier ladder={ladder} level={{ ...level, is_expired: true }} />,
  },
  Codes: {
    none: <Codes myClub={{ vouchers: [], holds: [], latest: [] }} onShow={NOTHING} />,
    'good, ending, used and past': (
      <Codes myClub={{ vouchers: codes, holds: [], latest: [] }} onShow={NOTHING} />
    ),
    'in a cart': (
      <Codes
        myClub={{
          vouchers: [code],
          holds: [{ client_benefit_code: code.client_benefit_code, expires_at: '2026-03-14T12:20:00Z' }],
          latest: [],
        }}
        onShow={NOTHING}
      />
    ),
  },
};

function Opened(props: { label: string; children: (close: () => void) => ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setIsOpen(true)}>
        {props.label}
      </button>
      {isOpen && props.children(() => setIsOpen(false))}
    </>
  );
}

const club = {
  client: createMemberClient({ baseUrl: location.href, commerceId: 1 }),
  commerce: {
    id: 1,
    name: 'Harbour Bakery',
    logo: null,
    color: '#0f5c6e',
    category_name: null,
    currency: 'EUR',
  },
  now: () => NOW,
  version: null,
  session: () => null,
  member: null,
  t: textsOf('en'),
  f: createFormat('en', 'UTC', 'EUR'),
  shopLocale: 'en',
};

render(
  <ClubProvider value={club}>
    <h1>Parts of the portal</h1>
    {Object.entries(PARTS).map(([name, states]) => (
      <section key={name} aria-labelledby={name}>
        <h2 id={name}>{name}</h2>
        {Object.entries(states).map(([state, part]) => (
          <figure key={state}>
            <figcaption class="small">{state}</figcaption>
            <div>{part}</div>
          </figure>
        ))}
      </section>
    ))}
  </ClubProvider>,
  document.querySelector('#parts')!,
);
