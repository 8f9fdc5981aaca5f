import { useLocation } from 'wouter';
import { usePlace } from '../session.ts';
import { RealTime } from '../ui/real-time.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ClockPage } from './clock-page.tsx';
import { Commands } from './commands.tsx';
import './developers.css';
import { Events } from './events.tsx';
import { Keys } from './keys.tsx';
import { ProblemCalls } from './problem-calls.tsx';
import { useDeveloperTexts } from './texts.ts';
import { Webhooks } from './webhooks.tsx';

const PARTS = {
  '': Keys,
  events: Events,
  webhooks: Webhooks,
  problems: ProblemCalls,
  commands: Commands,
  clock: ClockPage,
};

/** The page for the shop's developers: keys, events, webhooks, calls that failed, calls to copy, and the sandbox's clock. */
export default function DevelopersPage() {
  const t = useDeveloperTexts();
  const { path } = usePlace();
  const [here] = useLocation();
  const part = here.split('/')[3] ?? '';
  const name = part in PARTS ? (part as keyof typeof PARTS) : '';
  const Part = PARTS[name];
  return (
    <RealTime>
      <Tabs
        label={t.shared.developers}
        tabs={(Object.keys(PARTS) as (keyof typeof PARTS)[]).map((one) => ({
          href: one === '' ? path('developers') : path('developers', one),
          label: t.parts[one],
          isCurrent: one === name,
        }))}
      />
      <Part />
    </RealTime>
  );
}
