/**
 * Every part of `src/ui` in every state, on one page. `npm run parts` shows it; a test reads it with axe, and fails if a part is missing.
 */
import { ApiError, ConnectionError, type StaffCommerce } from '@loyalty/sdk/admin';
import { QueryClientProvider } from '@tanstack/react-query';
import { Fragment, StrictMode, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { clientAt, queries } from '../src/api.ts';
import { createFormat, FormatContext } from '../src/format.ts';
import { LocaleContext } from '../src/language.ts';
import { PlaceContext, type Place } from '../src/session.ts';
import { ActDialog } from '../src/ui/act-dialog.tsx';
import { Answered } from '../src/ui/answered.tsx';
import { Button, TextButton } from '../src/ui/button.tsx';
import { Dialog } from '../src/ui/dialog.tsx';
import { Choice, Field } from '../src/ui/field.tsx';
import { Drawn, Icon, ICONS } from '../src/ui/icon.tsx';
import { Menu } from '../src/ui/menu.tsx';
import { QrPicture } from '../src/ui/qr-picture.tsx';
import { RealTime } from '../src/ui/real-time.tsx';
import { say, Sayings } from '../src/ui/say.tsx';
import { Empty, Problem, Waiting } from '../src/ui/states.tsx';
import { Tabs } from '../src/ui/tabs.tsx';
import { When } from '../src/ui/when.tsx';

const NOTHING = () => {};
const NOW = new Date('2026-03-14T12:00:00Z');
const AWAY = new ConnectionError('the service did not answer');
const REFUSED = new ApiError(422, 'The name is taken: choose another one.');

/** The states of each part, by its name. */
const PARTS: Readonly<Record<string, Readonly<Record<string, ReactNode>>>> = {
  Button: {
    usual: <Button>Look at it</Button>,
    main: <Button look="main">Record the purchase</Button>,
    'main and big': <Button look="main big">Record the purchase</Button>,
    danger: <Button look="main danger">Erase the member</Button>,
    busy: (
      <Button look="main" busy>
        Saving
      </Button>
    ),
    'without words': (
      <Button look="icon-only" aria-label="More">
        <Icon name="more" />
      </Button>
    ),
  },
  TextButton: {
    usual: <TextButton>Undo</TextButton>,
    danger: <TextButton danger>Remove</TextButton>,
  },
  Field: {
    empty: <Field label="Name" name="empty" />,
    'with a hint': <Field label="Address" name="hint" hint="Members see it in their browser." />,
    'with a problem': (
      <Field label="Color" name="wrong" defaultValue="reddish" problem="Write a color as #b0203f." />
    ),
    'that cannot be changed': <Field label="Currency" name="off" defaultValue="EUR" disabled />,
  },
  Choice: {
    usual: <Choice label="Role" options={ROLES()} defaultValue="cashier" />,
    'with a problem': <Choice label="Role" options={ROLES()} problem="Choose a role." />,
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
  Drawn: { large: <Drawn path="M5 12h14M12 5v14" size={40} /> },
  Menu: {
    'with words': (
      <Menu
        label="The role of Nora"
        hasWords
        items={[
          { label: 'Manager', hint: 'Runs the program', current: true, onPick: NOTHING },
          { label: 'Cashier', current: false, onPick: NOTHING },
          { label: 'Remove', danger: true, onPick: NOTHING },
        ]}
      >
        Manager <Icon name="down" size={16} />
      </Menu>
    ),
    'without words': (
      <Menu label="More" items={[{ label: 'Print', onPick: NOTHING }]}>
        <Icon name="more" />
      </Menu>
    ),
  },
  Tabs: {
    usual: (
      <Tabs
        label="Reports"
        tabs={[
          { href: '/sales', label: 'Sales', isCurrent: true },
          { href: '/members', label: 'Members', isCurrent: false },
          { href: '/codes', label: 'Codes', isCurrent: false },
        ]}
      />
    ),
  },
  When: {
    'a moment ago': <When at="2026-03-14T11:58:00Z" />,
    yesterday: <When at="2026-03-13T09:30:00Z" />,
    'long ago, wide': <When at="2024-12-31T23:59:00Z" isWide />,
  },
  RealTime: {
    'without the clock of the sandbox': (
      <RealTime>
        <When at="2026-03-14T11:58:00Z" />
      </RealTime>
    ),
  },
  Waiting: {
    'three rows': <Waiting />,
    tall: <Waiting rows={1} tall />,
  },
  Empty: {
    usual: (
      <div className="card">
        <Empty title="No purchases yet" act={<Button look="main">Open the till</Button>}>
          The first one appears here as soon as it is recorded.
        </Empty>
      </div>
    ),
  },
  Problem: {
    'without a connection': (
      <div className="card">
        <Problem error={AWAY} onRetry={NOTHING} />
      </div>
    ),
    refused: (
      <div className="card">
        <Problem error={REFUSED} />
      </div>
    ),
  },
  Answered: {
    waiting: <Answered query={queryWith({})}>{() => null}</Answered>,
    failed: (
      <Answered query={queryWith({ error: AWAY, isError: true })} onPage>
        {() => null}
      </Answered>
    ),
    answered: <Answered query={queryWith({ data: '17 members' })}>{(data) => <p>{data}</p>}</Answered>,
  },
  QrPicture: { usual: <QrPicture text="https://club.example/harbour" label="The address of the club" /> },
  Dialog: {
    usual: (
      <Opened label="Open a dialog">
        {(close) => (
          <Dialog title="Invite a cashier" onClose={close}>
            <Field label="E-mail address" type="email" />
          </Dialog>
        )}
      </Opened>
    ),
    'locked and wide': (
      <Opened label="Open a wide dialog that is locked">
        {(close) => (
          <Dialog title="Saving" locked wide hasNoCross onClose={close}>
            <p>Wait a moment.</p>
            <Button onClick={close}>Close it all the same</Button>
          </Dialog>
        )}
      </Opened>
    ),
  },
  ActDialog: {
    'that fails': (
      <Opened label="Open a dialog that acts">
        {(close) => (
          <ActDialog
            title="Remove the key"
            submit="Remove it"
            danger
            act={() => Promise.reject(REFUSED)}
            onDone={NOTHING}
            onClose={close}
            unknown="Nobody knows whether it was removed: try again."
          >
            <p>Programs that use it can no longer call the service.</p>
          </ActDialog>
        )}
      </Opened>
    ),
  },
  Sayings: {
    'done, and wrong': (
      <>
        <Button onClick={() => say('The price is saved.', { undo: { label: 'Undo', run: NOTHING } })}>
          Say what was done
        </Button>
        <Button onClick={() => say('The price is not saved.', { kind: 'wrong' })}>Say what failed</Button>
      </>
    ),
  },
};

function ROLES(): readonly (readonly [string, string])[] {
  return [
    ['', 'Choose one'],
    ['cashier', 'Cashier'],
    ['owner', 'Owner'],
  ];
}

function queryWith(answer: { data?: string; error?: Error; isError?: boolean }) {
  return { data: answer.data, error: answer.error ?? null, isError: answer.isError ?? false, refetch: NEVER };
}

const NEVER = () => new Promise<never>(NOTHING);

function Opened({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{label}</Button>
      {isOpen && children(() => setIsOpen(false))}
    </>
  );
}

const shop: StaffCommerce = {
  id: 1,
  slug: 'harbour',
  name: 'Harbour Bakery',
  color: '#0f5c6e',
  logo: null,
  club_url: '/club/harbour',
  role: 'owner',
  sandbox: true,
  currency: 'EUR',
  locale: 'en',
  time_zone: 'UTC',
  step_up_points: 1_000,
};

const place: Place = {
  session: {
    email: 'ana@example.com',
    name: 'Ana',
    fresh_until: null,
    own_shop_url: null,
    commerces: [shop],
  },
  shop,
  api: clientAt(shop.id),
  path: (...parts) => `/${[shop.slug, ...parts].join('/')}`,
  may: () => true,
};

createRoot(document.querySelector('#parts')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LocaleContext value="en">
        <FormatContext value={createFormat('en', 'UTC', 'EUR', () => NOW)}>
          <PlaceContext value={place}>
            <h1>Parts of the console</h1>
            {Object.entries(PARTS).map(([name, states]) => (
              <section key={name} aria-labelledby={name}>
                <h2 id={name}>{name}</h2>
                {Object.entries(states).map(([state, part]) => (
                  <figure key={state}>
                    <figcaption className="small">{state}</figcaption>
                    <div>{part}</div>
                  </figure>
                ))}
              </section>
            ))}
            <Sayings />
          </PlaceContext>
        </FormatContext>
      </LocaleContext>
    </QueryClientProvider>
  </StrictMode>,
);
