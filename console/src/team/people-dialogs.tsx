import type { StaffMember, StaffRole } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isCode } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { ActDialog } from '../ui/act-dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { say } from '../ui/say.tsx';
import { When } from '../ui/when.tsx';
import { useTeamTexts, type TeamTexts } from './texts.ts';
import { Answered } from '../ui/answered.tsx';

const ROLES: readonly StaffRole[] = ['cashier', 'manager', 'owner'];

const explain =
  (t: TeamTexts) =>
  (error: unknown): string | null => {
    for (const [code, text] of Object.entries(t.problems)) if (isCode(error, code)) return text;
    return null;
  };

function RoleChoice({ role, onPick }: { role: StaffRole; onPick: (role: StaffRole) => void }) {
  const t = useTeamTexts();
  return (
    <Choice
      label={t.columns.role}
      hint={t.roleHints[role]}
      value={role}
      onChange={(event) => onPick(event.currentTarget.value as StaffRole)}
      options={ROLES.map((one) => [one, t.shared.roles[one]] as const)}
    />
  );
}

/** Gives somebody a role, and tells them by e-mail. */
export function Invite({ onClose }: { onClose: () => void }) {
  const t = useTeamTexts();
  const { api } = usePlace();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<StaffRole>('cashier');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <ActDialog
      title={t.invite}
      submit={t.sendInvitation}
      check={() => {
        const isAddress = /^\S+@\S+\.\S+$/.test(email.trim());
        setProblem(isAddress ? null : t.shared.emailProblem);
        return isAddress;
      }}
      act={() =>
        api.inviteStaff({ email: email.trim(), role, ...(name.trim() !== '' && { name: name.trim() }) })
      }
      onDone={(added) => say(t.invited(added.email))}
      explain={explain(t)}
      unknown={t.unknown}
      onClose={onClose}
    >
      <Field
        label={t.shared.email}
        type="email"
        problem={problem}
        maxLength={254}
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Field
        label={t.nameOptional}
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RoleChoice role={role} onPick={setRole} />
      <p className="small">{t.inviteText}</p>
    </ActDialog>
  );
}

/** Gives a person another role. */
export function ChangeRole({ of, onClose }: { of: StaffMember; onClose: () => void }) {
  const t = useTeamTexts();
  const { api } = usePlace();
  const [role, setRole] = useState<StaffRole>(of.role);
  return (
    <ActDialog
      title={t.roleTitle(of.name)}
      submit={t.changeRole}
      act={() => api.changeStaffRole(of.staff_id, { role })}
      onDone={() => say(t.roleChanged(of.name, t.shared.roles[role]))}
      explain={explain(t)}
      unknown={t.unknown}
      onClose={onClose}
    >
      <RoleChoice role={role} onPick={setRole} />
      <p className="small">{t.atOnce}</p>
    </ActDialog>
  );
}

/** Takes a person's role away. */
export function Remove({ of, onClose }: { of: StaffMember; onClose: () => void }) {
  const t = useTeamTexts();
  const { api } = usePlace();
  return (
    <ActDialog
      title={t.removeTitle(of.name)}
      submit={t.remove}
      danger
      act={() => api.removeStaff(of.staff_id)}
      onDone={() => say(t.removed(of.name))}
      explain={explain(t)}
      unknown={t.unknown}
      onClose={onClose}
    >
      <ul className="effects">
        {t.removeEffects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </ActDialog>
  );
}

/** Where a person is signed in, and the way to end all of it. */
export function Devices({ of, onClose }: { of: StaffMember; onClose: () => void }) {
  const t = useTeamTexts();
  const format = useFormat();
  const { api, shop, session } = usePlace();
  const isYou = of.email === session.email;
  const devices = useQuery({
    queryKey: [shop.id, 'team', of.staff_id, 'devices'],
    queryFn: ({ signal }) => api.listStaffDevices(of.staff_id, { signal }),
    staleTime: 0,
  });
  return (
    <ActDialog
      title={t.devicesTitle(of.name)}
      submit={t.signOutEverywhere}
      danger
      check={() => !isYou}
      act={() => api.signOutStaff(of.staff_id)}
      onDone={() => say(t.signedOut(of.name))}
      explain={explain(t)}
      unknown={t.unknown}
      hasNoAct={isYou || devices.data?.length === 0}
      onClose={onClose}
    >
      <Answered query={devices} rows={2}>
        {(own) =>
          own.length === 0 ? (
            <p>{t.noDevices}</p>
          ) : (
            <ul className="devices">
              {own.map((device) => (
                <li key={device.started_at} className="row">
                  <div className="row-words">
                    <span className="name-line">
                      <b>{t.signedInOn(format.dayAndTime(device.started_at))}</b>
                      {device.is_this && <span className="tag gain">{t.thisDevice}</span>}
                    </span>
                    <span className="small">{t.endsBy(format.dayAndTime(device.ends_at))}</span>
                  </div>
                  <div className="small">
                    {t.columns.seen}
                    <br />
                    <When at={device.last_seen_at} />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <p className="small">{isYou ? t.yourDevices : t.signOutText}</p>
    </ActDialog>
  );
}
