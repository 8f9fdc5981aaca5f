import type { WhatIf, WhatIfMember } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { Link } from 'wouter';
import { initials, useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { useReviewTexts } from './texts.ts';

/** The members whose balance changes most. Each opens into before and after. */
export function WhoChanges({ result: { members, members_changed: changed } }: { result: WhatIf }) {
  const t = useReviewTexts();
  const f = useFormat();
  if (members.length === 0) return null;
  return (
    <section className="card rows who" aria-labelledby="who-changes">
      <div className="who-head">
        <h2 id="who-changes">{t.whoChanges}</h2>
        <p className="small">{t.changedInAll(changed, f)}</p>
      </div>
      <ul>
        {members.map((member) => (
          <li key={member.member_id}>
            <Member member={member} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Member({ member }: { member: WhatIfMember }) {
  const t = useReviewTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { member_id: id, client_code: code, username, then, now } = member;
  const change = now.points - then.points;
  const rows = [
    [t.balance, f.number(then.points), f.number(now.points)],
    [t.earnedInRange, f.number(then.earned), f.number(now.earned)],
    [t.tier, then.level_name ?? t.noTier, now.level_name ?? t.noTier],
  ] as const;
  return (
    <details className="who-row">
      <summary>
        <span className="avatar little" aria-hidden="true">
          {initials(username)}
        </span>
        <span className="row-words">
          <span className="name clip">{username ?? (code === null ? t.nameless : inGroups(code))}</span>
          {username !== null && code !== null && <span className="small">{inGroups(code)}</span>}
        </span>
        <b className={change > 0 ? 'gain' : undefined}>{f.change(change)}</b>
      </summary>
      <table className="table tight">
        <thead>
          <tr>
            <td />
            <th scope="col" className="number">
              {t.inForce}
            </th>
            <th scope="col" className="number">
              {t.proposed}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, before, after]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number">{before}</td>
              <td className="number">
                <b>{after}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Link href={path('members', id)}>{t.openMember}</Link>
      </p>
    </details>
  );
}
