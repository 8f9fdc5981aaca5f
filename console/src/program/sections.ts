import type { Program } from '@loyalty/sdk/admin';
import { lazy, type ComponentType } from 'react';
import { isWithin, partsOf } from './paths.ts';

type Loaded = Promise<{ default: ComponentType }>;

/** One page of Program. */
export interface Section {
  /** The end of its address, and the key of its name in the texts. */
  readonly name: FormPage | 'file' | 'versions';
  readonly View: ComponentType;
}

type FormPage =
  | 'branding'
  | 'branches'
  | 'earning'
  | 'rules'
  | 'stamps'
  | 'double-points'
  | 'expiry'
  | 'tiers'
  | 'benefits'
  | 'rewards'
  | 'messages';

/** The pages of Program, in the order of their navigation. To add one, add a line here and its name to the texts. */
export const SECTIONS: readonly Section[] = [
  section('branding', () => import('./pages/branding.tsx')),
  section('branches', () => import('./pages/branches.tsx')),
  section('earning', () => import('./pages/earning.tsx')),
  section('rules', () => import('./rules/rules.tsx')),
  section('stamps', () => import('./stamps/stamps.tsx')),
  section('double-points', () => import('./pages/double-points.tsx')),
  section('expiry', () => import('./pages/expiry.tsx')),
  section('tiers', () => import('./pages/tiers.tsx')),
  section('benefits', () => import('./benefits/benefits.tsx')),
  section('rewards', () => import('./rewards/rewards.tsx')),
  section('messages', () => import('./messages/messages.tsx')),
  section('file', () => import('./file/file.tsx')),
  section('versions', () => import('./versions/versions.tsx')),
];

function section(name: Section['name'], load: () => Loaded): Section {
  return { name, View: lazy(load) };
}

/** The page that edits each part of the program. The slug and the sandbox never change. */
const PAGE_OF: Readonly<Record<Exclude<keyof Program, 'slug' | 'sandbox'>, FormPage>> = {
  name: 'branding',
  status: 'branding',
  logo: 'branding',
  color: 'branding',
  category_name: 'branding',
  tagline: 'branding',
  cover: 'branding',
  currency: 'branding',
  time_zone: 'branding',
  locale: 'branding',
  branches: 'branches',
  earning: 'earning',
  stamps: 'stamps',
  step_up_points: 'earning',
  codes: 'earning',
  points_expiration: 'expiry',
  levels: 'tiers',
  benefits: 'benefits',
  rewards: 'rewards',
  mail: 'messages',
};

/** Parts of a part with a page of their own. */
const PAGES_WITHIN: readonly (readonly [place: string, page: FormPage])[] = [
  ['earning.double_points', 'double-points'],
  ['earning.rules', 'rules'],
  ['earning.exclude', 'rules'],
  ['earning.lines', 'rules'],
  ['earning.cap', 'rules'],
  ['earning.pending', 'rules'],
];

/** The page on which a value is edited. Its changes and problems show beside the name of the page. */
export function sectionOf(path: string): Section | undefined {
  const [part] = partsOf(path);
  const [, within] = PAGES_WITHIN.find(([place]) => isWithin(path, place)) ?? [];
  const name = within ?? PAGE_OF[part as keyof typeof PAGE_OF];
  return SECTIONS.find((section) => section.name === name);
}
