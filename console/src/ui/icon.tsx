/*! Icons from Lucide, https://lucide.dev, ISC License, Copyright (c) 2026 Lucide Icons and Contributors; parts from Feather, MIT License, Copyright (c) 2013-2023 Cole Bemis. */
import {
  ALERT,
  ARROW,
  CHECK,
  CLOSE,
  HOME,
  LEAVE,
  MAIL,
  OFFLINE,
  PERSON,
  PURCHASE,
  SLIDERS,
  TICKET,
} from '@loyalty/ui/icon-paths.ts';

/** The icons of the console, each as one path on a grid of 24. `docs/design.md` says how to add one. */
const PATHS = {
  home: HOME,
  reports: 'M3 3v16a2 2 0 0 0 2 2h16M18 17V9M13 17V5M8 17v-3',
  till: 'M3 7V5a2 2 0 0 1 2-2h2M17 3h2a2 2 0 0 1 2 2v2M21 17v2a2 2 0 0 1-2 2h-2M7 21H5a2 2 0 0 1-2-2v-2M7 12h10',
  members:
    'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M16 3.128a4 4 0 0 1 0 7.744M22 21v-2a4 4 0 0 0-3-3.87M5 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  program: SLIDERS,
  developers: 'M0 0m18 16 4-4-4-4M0 0m6 8-4 4 4 4M0 0m14.5 4-5 16',
  team: 'M16 10h2M16 14h2M6.17 15a3 3 0 0 1 5.66 0M7 11a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M4 5h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-16a2 2 0 0 1-2-2v-10a2 2 0 0 1 2-2z',
  search: 'M0 0m21 21-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0',
  chevrons: 'M0 0m7 15 5 5 5-5M0 0m7 9 5-5 5 5',
  down: 'M0 0m6 9 6 6 6-6',
  sandbox:
    'M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2M6.453 15h11.094M8.5 2h7',
  more: 'M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M18 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M4 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  plus: 'M5 12h14M12 5v14',
  check: CHECK,
  close: CLOSE,
  alert: ALERT,
  offline: OFFLINE,
  leave: LEAVE,
  key: 'M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4zM16 7.5a.5 .5 0 1 0 1 0a.5 .5 0 1 0 -1 0',
  keyboard:
    'M10 8h.01M12 12h.01M14 8h.01M16 12h.01M18 8h.01M6 8h.01M7 16h10M8 12h.01M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-16a2 2 0 0 1-2-2v-12a2 2 0 0 1 2-2z',
  mail: MAIL,
  arrow: ARROW,
  person: PERSON,
  shop: 'M15 21v-5a1 1 0 0 0-1-1h-4a1 1 0 0 0-1 1v5M17.774 10.31a1.12 1.12 0 0 0-1.549 0 2.5 2.5 0 0 1-3.451 0 1.12 1.12 0 0 0-1.548 0 2.5 2.5 0 0 1-3.452 0 1.12 1.12 0 0 0-1.549 0 2.5 2.5 0 0 1-3.77-3.248l2.889-4.184A2 2 0 0 1 7 2h10a2 2 0 0 1 1.653.873l2.895 4.192a2.5 2.5 0 0 1-3.774 3.244M4 10.95V19a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8.05',
  ticket: TICKET,
  purchase: PURCHASE,
  info: 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 16v-4M12 8h.01',
} as const;

export type IconName = keyof typeof PATHS;

export const ICONS = Object.keys(PATHS) as IconName[];

/** An icon of the frame and of more than one page. Icons of one page stand with the page: see `Drawn`. */
export function Icon({ name, size }: { name: IconName; size?: number }) {
  return <Drawn path={PATHS[name]} {...(size !== undefined && { size })} />;
}

/** An icon by its path. It stands beside a word, so screen readers skip it. */
export function Drawn({ path, size = 20 }: { path: string; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
