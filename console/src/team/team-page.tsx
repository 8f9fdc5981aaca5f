import { useLocation } from 'wouter';
import { usePlace } from '../session.ts';
import { RealTime } from '../ui/real-time.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Audit } from './audit.tsx';
import { People } from './people.tsx';
import './team.css';
import { useTeamTexts } from './texts.ts';

/** The people who work here, and the audit of their acts. */
export default function TeamPage() {
  const t = useTeamTexts();
  const { path } = usePlace();
  const [here] = useLocation();
  const isAudit = here.split('/')[3] === 'audit';
  return (
    <RealTime>
      <Tabs
        label={t.shared.team}
        tabs={[
          { href: path('team'), label: t.people, isCurrent: !isAudit },
          { href: path('team', 'audit'), label: t.audit, isCurrent: isAudit },
        ]}
      />
      {isAudit ? <Audit /> : <People />}
    </RealTime>
  );
}
