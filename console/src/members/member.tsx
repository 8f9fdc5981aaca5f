import type { MemberPage as Member } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { isStatus } from '../api.ts';
import { initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { QrPicture } from '../ui/qr-picture.tsx';
import { RealTime } from '../ui/real-time.tsx';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { MemberActs } from './acts/member-acts.tsx';
import { BalanceCard } from './balance-card.tsx';
import { Changes } from './changes.tsx';
import { Codes } from './codes.tsx';
import { Copy } from './copy.tsx';
import { History } from './history.tsx';
import { ICONS } from './icons.ts';
import { useKeptPlace } from './kept-place.ts';
import { StateTag } from './list.tsx';
import { OrdersOf } from './orders-of.tsx';
import { useMemberTexts } from './texts.ts';
import { TierCard } from './tier-card.tsx';

/** Everything about one person: who it is, what there is, what happened, and what can be done. */
export function MemberPage({ memberId }: { memberId: number }) {
  const t = useMemberTexts();
  const { api, shop, path } = usePlace();
  const isId = Number.isSafeInteger(memberId) && memberId > 0;
  const member = useQuery({
    queryKey: [shop.id, 'member', memberId],
    queryFn: ({ signal }) => api.getMember(memberId, { signal }),
    enabled: isId,
  });
  useMovementOfSearch();
  useTitle(member.data && t.nameOf(member.data));

  if (member.data !== undefined) return <Shown member={member.data} />;
  if (!isId || isStatus(member.error, 404) || isStatus(member.error, 400))
    return (
      <Empty
        isPage
        title={t.unknownTitle}
        act={
          <Link className="button main" href={path('members')}>
            {t.toList}
          </Link>
        }
      >
        {t.unknownText}
      </Empty>
    );
  return (
    <>
      <Crumbs name={null} />
      {member.isError ? (
        <Problem error={member.error} onRetry={() => void member.refetch()} />
      ) : (
        <Waiting rows={3} tall />
      )}
    </>
  );
}

function Shown({ member }: { member: Member }) {
  const t = useMemberTexts();
  useKeptPlace(true, location.hash !== '');
  const [isWide] = useState(() => matchMedia('(min-width: 70rem)').matches);
  const { member_id: id, client_code: code, state, email } = member;
  const name = t.nameOf(member);
  return (
    <>
      <Crumbs name={code === null ? name : inGroups(code)} />
      <div className="page-head member-head">
        <span className="avatar large" aria-hidden="true">
          {initials(member.username ?? member.email)}
        </span>
        <div className="words">
          <h1>{name}</h1>
          <div className="sum">
            <Since member={member} />
            {member.level !== null && (
              <span className="tag">
                {member.level.is_pinned && <Drawn path={ICONS.pin} size={13} />}
                {member.level.name}
              </span>
            )}
            {email !== null && (
              <span className="small with-copy">
                {email} <Copy text={email} label={t.copyEmail} />
              </span>
            )}
          </div>
        </div>
        {state !== 'erased' && <MemberActs member={member} />}
      </div>
      <Strips member={member} />
      <div className="stack">
        <div className="cards">
          <BalanceCard member={member} />
          <TierCard member={member} />
          <InAll member={member} />
        </div>
        <div className="beside">
          <div className="stack">
            <History memberId={id} />
            <RealTime>
              <Changes memberId={id} />
            </RealTime>
          </div>
          <div className="stack member-aside">
            <Fold title={t.about} isOpen={isWide}>
              <About member={member} />
            </Fold>
            <Codes memberId={id} isOpen={isWide} />
            <OrdersOf memberId={id} isOpen={isWide} />
          </div>
        </div>
      </div>
    </>
  );
}

function Crumbs({ name }: { name: string | null }) {
  const t = useMemberTexts();
  const { path } = usePlace();
  // Back to the list as it was, if the person came from there.
  return (
    <p className="crumbs">
      <Link href={path('members')}>{t.members}</Link>
      <span aria-hidden="true">/</span>
      <span>{name ?? '…'}</span>
    </p>
  );
}

function Since({ member }: { member: Member }) {
  const t = useMemberTexts();
  const format = useFormat();
  if (member.state !== 'member') return <StateTag state={member.state} />;
  return (
    <span className="tag gain">
      {member.enrolled_at === null ? t.shared.states.member : t.memberSince(format.day(member.enrolled_at))}
    </span>
  );
}

/** Notices that staff must see before anything else. */
function Strips({ member }: { member: Member }) {
  const t = useMemberTexts();
  const { day } = useFormat();
  const lines: [look: string, text: string][] = [];
  const dayOr = (at: string | null) => (at === null ? null : day(at));
  if (member.state === 'erased') lines.push(['', t.strips.erased]);
  if (member.blocked_at !== null)
    lines.push(['wrong', t.strips.blocked(day(member.blocked_at), member.block_reason)]);
  if (member.state === 'invited') lines.push(['ending', t.strips.invited(dayOr(member.invited_at))]);
  if (member.state === 'left' && member.left_at !== null)
    lines.push(['ending', t.strips.left(day(member.left_at))]);
  const { suppression } = member.mail;
  if (suppression !== null) lines.push(['ending', t.strips[suppression.reason](day(suppression.since))]);
  if (member.points < 0) lines.push(['ending', t.strips.negative]);
  return lines.map(([look, text]) => (
    <p key={text} className={`strip ${look} of-member`}>
      <Icon name="info" />
      <span>{text}</span>
    </p>
  ));
}

function InAll({ member: { lifetime } }: { member: Member }) {
  const t = useMemberTexts();
  const f = useFormat();
  return (
    <section className="card inside stack" aria-labelledby="in-all">
      <h2 id="in-all" className="label">
        {t.inAll}
      </h2>
      <dl className="facts">
        <Fact name={t.spent}>{f.money(lifetime.amount)}</Fact>
        <Fact name={t.purchases}>{f.number(lifetime.purchases)}</Fact>
        <Fact name={t.earned}>{f.number(lifetime.points_earned)}</Fact>
        <Fact name={t.traded}>{f.number(lifetime.points_spent)}</Fact>
      </dl>
    </section>
  );
}

function About({ member }: { member: Member }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { client_code: code } = member;
  const day = (at: string | null) => (at === null ? null : f.day(at));
  return (
    <>
      {code !== null && member.state !== 'erased' && (
        <div className="member-code">
          <QrPicture text={String(code)} label={t.codePicture(inGroups(code))} />
          <span className="with-copy">
            <b>{inGroups(code)}</b> <Copy text={String(code)} label={t.copyCode} />
          </span>
        </div>
      )}
      <dl className="facts">
        <Fact name={t.email}>{member.email}</Fact>
        <Fact name={t.phone}>{member.phone}</Fact>
        <Fact name={t.birthday}>{day(member.birth_date)}</Fact>
        {member.enrolled_at === null ? (
          <Fact name={t.invited}>{day(member.invited_at)}</Fact>
        ) : (
          <Fact name={t.joined}>{day(member.enrolled_at)}</Fact>
        )}
        {member.left_at !== null && <Fact name={t.left}>{day(member.left_at)}</Fact>}
        <Fact name={t.lastPurchase}>{day(member.last_purchase_at)}</Fact>
        {member.mail.stopped.length > 0 && (
          <Fact name={t.stoppedMails}>{member.mail.stopped.map((kind) => t.mailKinds[kind]).join(', ')}</Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? '–'}</dd>
    </div>
  );
}

/** A card that can be folded: open where there is room beside the history. */
export function Fold(props: {
  title: string;
  hint?: string | undefined;
  isOpen: boolean;
  children: ReactNode;
}) {
  return (
    <details className="card fold" open={props.isOpen}>
      <summary>
        <h2>{props.title}</h2>
        <span className="small">{props.hint}</span>
        <Icon name="down" size={18} />
      </summary>
      <div className="fold-inside stack">{props.children}</div>
    </details>
  );
}

/** The search of the frame names a movement in the query. A page that can be shared names it behind the `#`. */
function useMovementOfSearch(): void {
  const query = useSearch();
  useEffect(() => {
    const movement = new URLSearchParams(query).get('movement');
    if (movement !== null && /^\d+$/.test(movement))
      history.replaceState(history.state, '', `${location.pathname}#movement-${movement}`);
  }, [query]);
}

function useTitle(name: string | undefined): void {
  const { shop } = usePlace();
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · ${shop.name}`;
  }, [name, shop.name]);
}
