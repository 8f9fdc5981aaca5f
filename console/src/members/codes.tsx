import type { TillVoucher } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { TextButton } from '../ui/button.tsx';
import { Problem, Waiting } from '../ui/states.tsx';
import { GiveBack } from './acts/give-back.tsx';
import { Fold } from './member.tsx';
import { useMemberTexts } from './texts.ts';

/** The member's codes: those ready to use first, the ended ones when they are asked for. */
export function Codes({ memberId, isOpen }: { memberId: number; isOpen: boolean }) {
  const t = useMemberTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const [isAll, showAll] = useState(false);
  const codes = useQuery({
    queryKey: [shop.id, 'member', memberId, 'codes'],
    queryFn: ({ signal }) => api.listMemberVouchers(memberId, { signal }),
  });
  const usable = codes.data?.filter(({ state }) => state === 'usable') ?? [];
  const ended = codes.data?.filter(({ state }) => state !== 'usable') ?? [];
  const shown = isAll ? [...usable, ...ended] : usable;
  return (
    <Fold
      title={t.codes}
      hint={codes.isSuccess ? t.codesReady(usable.length, format) : undefined}
      isOpen={isOpen}
    >
      {codes.isPending ? (
        <Waiting rows={2} />
      ) : codes.isError ? (
        <Problem error={codes.error} onRetry={() => void codes.refetch()} />
      ) : codes.data.length === 0 ? (
        <p className="small">{t.noCodesText}</p>
      ) : (
        <>
          {shown.length > 0 && (
            <ul className="code-list">
              {shown.map((code) => (
                <Code key={code.client_benefit_code} code={code} />
              ))}
            </ul>
          )}
          {!isAll && ended.length > 0 && (
            <TextButton onClick={() => showAll(true)}>{t.olderCodes(ended.length, format)}</TextButton>
          )}
        </>
      )}
    </Fold>
  );
}

function Code({ code }: { code: TillVoucher }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { state, due_date: due, ended_at: ended, source, cost } = code;
  const end = ended ?? due;
  const [isOpen, setOpen] = useState(false);
  const mayGiveBack = source === 'exchange' && (state === 'usable' || state === 'expired');
  return (
    <li className="row">
      <div className="row-words">
        <b>{code.title}</b>
        <span className="small">{inGroups(code.client_benefit_code)}</span>
        <span className="small">
          {[
            source === 'exchange' ? t.codeCost(t.shared.points(cost, f)) : t.codeGiven,
            state === 'usable' && due !== null ? t.codeUntil(f.day(due)) : null,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {mayGiveBack && (
          <TextButton onClick={() => setOpen(true)}>
            {t.acts.giveBack}
            <span className="unseen"> {code.title}</span>
          </TextButton>
        )}
      </div>
      {isOpen && (
        <GiveBack
          what={{ code: code.client_benefit_code, title: code.title, points: cost }}
          onClose={() => setOpen(false)}
        />
      )}
      {state === 'usable' ? (
        <span className="tag gain">{t.shared.voucherStates.usable}</span>
      ) : (
        <span className="tag">
          {end === null
            ? t.shared.voucherStates[state]
            : t.codeEnded(t.shared.voucherStates[state], f.day(end))}
        </span>
      )}
    </li>
  );
}
