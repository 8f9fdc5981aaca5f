import type { TillVoucher } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { TextButton } from '../ui/button.tsx';
import { Answered } from '../ui/answered.tsx';
import { GiveBack, type CodeToGiveBack } from './acts/give-back.tsx';
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
  const [givenBack, giveBack] = useState<CodeToGiveBack | null>(null);
  return (
    <Fold
      title={t.codes}
      hint={codes.isSuccess ? t.codesReady(usable.length, format) : undefined}
      isOpen={isOpen}
    >
      <Answered query={codes} rows={2}>
        {(all) =>
          all.length === 0 ? (
            <p className="small">{t.noCodesText}</p>
          ) : (
            <>
              {shown.length > 0 && (
                <ul className="code-list">
                  {shown.map((code) => (
                    <Code key={code.client_benefit_code} code={code} onGiveBack={giveBack} />
                  ))}
                </ul>
              )}
              {!isAll && ended.length > 0 && (
                <TextButton onClick={() => showAll(true)}>{t.olderCodes(ended.length, format)}</TextButton>
              )}
            </>
          )
        }
      </Answered>
      {givenBack !== null && <GiveBack what={givenBack} onClose={() => giveBack(null)} />}
    </Fold>
  );
}

function Code({ code, onGiveBack }: { code: TillVoucher; onGiveBack: (what: CodeToGiveBack) => void }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { state, due_date: due, ended_at: ended, source, cost } = code;
  const end = ended ?? due;
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
          <TextButton
            onClick={() => onGiveBack({ code: code.client_benefit_code, title: code.title, points: cost })}
          >
            {t.acts.giveBack}
            <span className="unseen"> {code.title}</span>
          </TextButton>
        )}
      </div>
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
