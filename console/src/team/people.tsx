import type { StaffMember } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { When } from '../ui/when.tsx';
import { ChangeRole, Devices, Invite, Remove } from './people-dialogs.tsx';
import { useTeamTexts } from './texts.ts';
import { Answered } from '../ui/answered.tsx';

type Open =
  | { readonly act: 'invite' }
  | { readonly act: 'role' | 'devices' | 'remove'; readonly of: StaffMember }
  | null;

/** Everybody who works at the shop. */
export function People() {
  const t = useTeamTexts();
  const { api, shop } = usePlace();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const team = useQuery({
    queryKey: [shop.id, 'team'],
    queryFn: ({ signal }) => api.listStaff({ signal }),
  });
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.teamTitle}</h1>
          <p className="small">{t.teamText}</p>
        </div>
        <Button look="main" onClick={() => setOpen({ act: 'invite' })}>
          {t.invite}
        </Button>
      </div>
      <section className="card" aria-label={t.teamTitle}>
        <Answered query={team} rows={4}>
          {(people) => (
            <table className="table folds team">
              <caption className="unseen">{t.teamTitle}</caption>
              <thead>
                <tr>
                  <th>{t.columns.name}</th>
                  <th>{t.columns.role}</th>
                  <th>{t.columns.seen}</th>
                  <th>
                    <span className="unseen">{t.acts}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {people.map((one) => (
                  <Colleague key={one.staff_id} of={one} onOpen={setOpen} />
                ))}
              </tbody>
            </table>
          )}
        </Answered>
      </section>
      {open?.act === 'invite' && <Invite onClose={close} />}
      {open?.act === 'role' && <ChangeRole of={open.of} onClose={close} />}
      {open?.act === 'devices' && <Devices of={open.of} onClose={close} />}
      {open?.act === 'remove' && <Remove of={open.of} onClose={close} />}
    </>
  );
}

function Colleague({ of, onOpen }: { of: StaffMember; onOpen: (open: Open) => void }) {
  const t = useTeamTexts();
  const format = useFormat();
  const { session, path } = usePlace();
  const [, go] = useLocation();
  const isYou = of.email === session.email;
  const items = [
    ...(isYou ? [] : [{ label: t.changeRole, onPick: () => onOpen({ act: 'role', of }) }]),
    { label: t.devices, onPick: () => onOpen({ act: 'devices', of }) },
    { label: t.whatTheyDid, onPick: () => go(`${path('team', 'audit')}?who=staff-${of.staff_id}`) },
    ...(isYou ? [] : [{ label: t.remove, danger: true, onPick: () => onOpen({ act: 'remove', of }) }]),
  ];
  return (
    <tr>
      <td>
        <div className="person-line">
          <span className="avatar little" aria-hidden="true">
            {initials(of.name)}
          </span>
          <div className="row-words">
            <span className="name-line">
              <b>{of.name}</b>
              {isYou && <span className="tag">{t.you}</span>}
            </span>
            <span className="small clip">{of.email}</span>
          </div>
        </div>
      </td>
      <td>
        <span className="tag">{t.shared.roles[of.role]}</span>
      </td>
      <td className="wide">
        {of.last_seen_at === null ? (
          <span className="small">{t.neverSeen(format.day(of.invited_at))}</span>
        ) : (
          <span className="row-words">
            <When at={of.last_seen_at} />
            {of.devices > 0 && <span className="small">{t.onDevices(of.devices, format)}</span>}
          </span>
        )}
      </td>
      <td className="row-menu">
        <Menu className="button icon-only" label={t.actsOf(of.name)} items={items}>
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  );
}
