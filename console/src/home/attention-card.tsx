import type { Attention, ReportOverview } from '@loyalty/sdk/admin';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { PAGES } from '../frame/pages.ts';
import { ICONS } from '../reports/icons.ts';
import { addressOfLink } from '../reports/links.ts';
import { usePlace } from '../session.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { useHomeTexts } from './texts.ts';

interface Line {
  readonly look: '' | 'ending' | 'wrong';
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly act: { readonly label: string; readonly to: string } | null;
}

/** Lists the things that need attention, the most pressing first, and the points that end soon. */
export function AttentionCard({
  overview,
  isQuiet = false,
}: {
  overview: ReportOverview;
  isQuiet?: boolean;
}) {
  const t = useHomeTexts();
  const lines = useLines(overview);
  if (isQuiet && lines.length === 0) return null;
  return (
    <section className="card look-card" aria-labelledby="look">
      <h2 id="look">{t.look}</h2>
      {lines.length === 0 ? (
        <p className="look-none">
          <Icon name="check" />
          {t.allWell}
        </p>
      ) : (
        <ul className="rows">
          {lines.map((line) => (
            <li key={line.title} className="row step-row">
              <span className={`badge ${line.look || 'plain'}`}>{line.icon}</span>
              <span className="row-words">
                <span className="name">{line.title}</span>
                <span className="small">{line.text}</span>
              </span>
              {line.act !== null && (
                <Link
                  className="look-link"
                  href={line.act.to}
                  aria-label={`${line.act.label}: ${line.title}`}
                >
                  {line.act.label}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function useLines({ attention, ending_soon: ending, links, today }: ReportOverview): Line[] {
  const t = useHomeTexts();
  const f = useFormat();
  const { path } = usePlace();
  const lines = useAttention(attention);
  if (ending.points > 0 && ending.first_day !== null)
    lines.push({
      look: 'ending',
      icon: <Drawn path={ICONS.hourglass} />,
      title: t.endingSoon(ending.points, f),
      text: t.endingSoonText(ending.holders, f.day(ending.first_day), f),
      act: { label: t.see, to: addressOfLink(path, links.ending_soon, { from: today, to: today }) },
    });
  return lines;
}

function useAttention(attention: readonly Attention[]): Line[] {
  const t = useHomeTexts();
  const f = useFormat();
  const { path, may } = usePlace();
  const program = PAGES.find((page) => page.name === 'program' && may(page.role));
  const open = (to: string) => ({ label: t.open, to });
  const benefits = open(program === undefined ? path('reports', 'benefits') : path('program', 'benefits'));
  const gift = <Drawn path={ICONS.gift} />;
  return attention.map((one): Line => {
    switch (one.kind) {
      case 'program_paused':
        return {
          look: 'wrong',
          icon: <Icon name="alert" />,
          title: t.paused,
          text: t.pausedText,
          act: program === undefined ? null : open(path('program')),
        };
      case 'job_failing':
        return {
          look: 'wrong',
          icon: <Icon name="alert" />,
          title: t.jobFailing,
          text: t.jobFailingText(one.job, f.dayAndTime(one.since)),
          act: null,
        };
      case 'unusual_purchase':
        return {
          look: 'ending',
          icon: <Icon name="purchase" />,
          title: t.unusual(f.money(one.amount), f.dayAndTime(one.at)),
          text: t.unusualText,
          act: open(`${path('members', one.member_id)}?movement=${one.consumption_id}`),
        };
      case 'mail_failed':
        return {
          look: 'wrong',
          icon: <Icon name="mail" />,
          title: t.mailFailed(one.mails, f),
          text: t.mailFailedText,
          act: null,
        };
      case 'reward_withheld':
        return {
          look: 'wrong',
          icon: gift,
          title: t.withheld(one.title),
          text: t.withheldText(one.times, f),
          act: benefits,
        };
      case 'sold_out':
        return {
          look: 'wrong',
          icon: <Icon name="ticket" />,
          title: t.soldOut(one.title),
          text: t.soldOutText,
          act: benefits,
        };
      case 'nearly_sold_out':
        return {
          look: 'ending',
          icon: <Icon name="ticket" />,
          title: t.nearlySoldOut(one.title),
          text: t.nearlySoldOutText(one.left, f),
          act: benefits,
        };
      default:
        return {
          look: 'ending',
          icon: gift,
          title: t.benefitEnds(one.title),
          text: t.benefitEndsText(f.day(one.day)),
          act: benefits,
        };
    }
  });
}
