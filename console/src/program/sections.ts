import { lazy, type ComponentType } from 'react';
import { isWithin } from './paths.ts';

type Loaded = Promise<{ default: ComponentType }>;

/** One page of Program. */
export interface Section {
  /** The end of its address, and the key of its name in the texts. */
  readonly name:
    | 'branding'
    | 'earning'
    | 'double-points'
    | 'expiry'
    | 'tiers'
    | 'benefits'
    | 'rewards'
    | 'messages'
    | 'file'
    | 'versions';
  /** The parts of the program that it edits: their changes and problems show beside its name. */
  readonly places: readonly string[];
  readonly View: ComponentType;
}

/** The pages of Program, in the order of their navigation. To add one, add a line here and its name to the texts. */
export const SECTIONS: readonly Section[] = [
  section(
    'branding',
    [
      'name',
      'status',
      'logo',
      'color',
      'category_name',
      'tagline',
      'cover',
      'currency',
      'time_zone',
      'locale',
    ],
    () => import('./pages/branding.tsx'),
  ),
  section(
    'earning',
    ['earning.money_per_point', 'earning.max_amount', 'earning.returns', 'step_up_points', 'codes'],
    () => import('./pages/earning.tsx'),
  ),
  section('double-points', ['earning.double_points'], () => import('./pages/double-points.tsx')),
  section('expiry', ['points_expiration'], () => import('./pages/expiry.tsx')),
  section('tiers', ['levels'], () => import('./pages/tiers.tsx')),
  section('benefits', ['benefits'], () => import('./benefits/benefits.tsx')),
  section('rewards', ['rewards'], () => import('./rewards/rewards.tsx')),
  section('messages', ['mail'], () => import('./messages/messages.tsx')),
  section('file', [], () => import('./file/file.tsx')),
  section('versions', [], () => import('./versions/versions.tsx')),
];

function section(name: Section['name'], places: readonly string[], load: () => Loaded): Section {
  return { name, places, View: lazy(load) };
}

/** The page on which a value is edited. */
export function sectionOf(path: string): Section | undefined {
  return SECTIONS.find(({ places }) => places.some((place) => isWithin(path, place)));
}
