import { useFormat } from '../format.ts';
import { useNow } from '../session.ts';
import { useEditing } from './editing.ts';
import type { Section } from './sections.ts';
import { useProgramTexts } from './texts.ts';
import { tellExpiration, tellPeriod, tellReward } from './value-text.tsx';

/** Says in a few words what a part of the draft does, as a member would hear it. Empty if there is nothing to say. */
export function useSentences(): (name: Section['name']) => string {
  const t = useProgramTexts();
  const f = useFormat();
  const { program, inForce } = useEditing();
  const now = Date.parse(useNow());
  const money = (value: unknown) => (typeof value === 'number' ? f.money(value) : '…');
  return (name) => {
    switch (name) {
      case 'branding':
        return [program.name, program.category_name, program.tagline].filter(Boolean).join(' · ');
      case 'earning':
        return t.told.earning(money(program.earning.money_per_point));
      case 'branches':
        return program.branches.map(({ name: branch }) => branch).join(', ') || t.told.noBranches;
      case 'rules': {
        const { rules } = program.earning;
        return t.told.rules(rules.length, rules.filter(({ paused }) => paused).length, f);
      }
      case 'stamps': {
        const { stamps } = program;
        return t.told.stamps(stamps.length, stamps.filter(({ paused }) => paused).length, f);
      }
      case 'double-points': {
        const [next] = program.earning.double_points
          .filter(({ to }) => !(Date.parse(to) <= now))
          .toSorted((a, b) => a.from.localeCompare(b.from));
        return next === undefined ? t.told.noDouble : tellPeriod(next.from, next.to, t, f);
      }
      case 'expiry':
        return program.points_expiration.mode === 'none'
          ? t.told.neverEnds
          : t.told.expiry(tellExpiration(program.points_expiration, t, f));
      case 'tiers':
        return program.levels.ladder.map((tier) => tier.name).join(', ') || t.told.noTiers;
      case 'benefits': {
        const forSale = program.benefits.filter((one) => one.benefit_type === 'normal').length;
        return t.told.benefits(forSale, program.benefits.length - forSale, f);
      }
      case 'rewards':
        return (
          (['welcome', 'birthday', 'monthly_top'] as const)
            .filter((kind) => program.rewards[kind] !== null)
            .map(
              (kind) => `${t.labels[`rewards.${kind}`]}: ${tellReward(program.rewards[kind], program, t, f)}`,
            )
            .join(' · ') || t.told.noRewards
        );
      case 'versions':
        return t.version(inForce.version, f);
      default:
        return t.told[name];
    }
  };
}
