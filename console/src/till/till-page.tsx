import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import { useSearchParams } from 'wouter';
import { Overlay } from '../frame/overlays.tsx';
import { usePlace, useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { Problem, Waiting } from '../ui/states.tsx';
import { Day } from './day.tsx';
import { DoneCard } from './done-card.tsx';
import { Finder } from './finder.tsx';
import { SPARKLES } from './icons.ts';
import { nameOf, Person } from './person.tsx';
import { PurchaseForm } from './purchase-form.tsx';
import { useTillTexts } from './texts.ts';
import './till.css';
import type { Finding } from './use-finder.ts';
import { useTill, type Till } from './use-till.ts';
import { ReadyToUse } from './ready-to-use.tsx';
import { VoucherCard } from './voucher-card.tsx';

/** Only after a reload in the middle of a purchase. */
const LeftCard = lazy(() => import('./left-card.tsx'));
/** Only where purchases stamp cards. */
const Stamps = lazy(() => import('./stamps.tsx'));

type Amount = RefObject<HTMLInputElement | null>;

/** The state of the page that the form of a purchase needs. */
interface Form {
  readonly till: Till;
  readonly amount: Amount;
  readonly onSeek: (text: string) => void;
  readonly onScan: (code: string) => void;
}

/** The till: find the customer, type the amount, press Enter. */
export default function TillPage() {
  const t = useTexts();
  const till = useTill();
  const { open, done, voucher } = till;
  const finder = useRef<HTMLInputElement>(null);
  const amount = useRef<HTMLInputElement>(null);
  const finding = useRef<Finding>(null);
  const [text, setText] = useState(() => (open === null ? '' : open.name));
  /** The text of the field when what stands below it was found. */
  const [found, setFound] = useState(text);
  const settle = (text: string) => {
    setText(text);
    setFound(text);
  };
  // While the field says something else, the next amount may be somebody else's.
  const isOlder = text !== found;
  const form: Form = {
    till,
    amount,
    onSeek: (sought) => finding.current?.type(sought),
    onScan(code) {
      till.type('');
      finding.current?.lookUp(code);
    },
  };
  usePassedOn(till, settle);

  // The next customer: the field is empty and waits. A customer who used a code and has a purchase to record goes on with that.
  const news = done?.kind === 'recorded' ? done.answer.consumption_id : done;
  const goOn = useEffectEvent(() => {
    if (open === null) settle('');
    const next = open === null ? finder : amount;
    // A dialog that closes gives the focus back first.
    setTimeout(() => next.current?.focus());
  });
  useEffect(() => {
    if (news !== null) goOn();
  }, [news]);
  const page = useRef<HTMLDivElement>(null);
  useFocusOfGoneButtons(page, open === null ? finder : amount);

  return (
    <>
      <h1 className="unseen">{t.till}</h1>
      <div className="till" ref={page}>
        <div className="stack">
          <div>
            <Finder
              text={text}
              onText={setText}
              input={finder}
              finding={finding}
              canClear={open !== null || voucher !== null}
              picks={{
                member(memberId, name, label, amount) {
                  settle(label);
                  till.showVoucher(null);
                  till.openPurchase({ member_id: memberId }, name, amount);
                },
                stranger(email, amount) {
                  settle(email);
                  till.showVoucher(null);
                  till.openPurchase({ client_email: email }, email, amount);
                },
                voucher(code) {
                  settle(inGroups(code));
                  till.showDone(null);
                  till.showVoucher(code);
                },
                nothing() {
                  setFound(text);
                  till.showVoucher(null);
                  till.closePurchase();
                },
                none() {
                  settle('');
                  till.showVoucher(null);
                  till.showDone(null);
                  till.closePurchase();
                },
              }}
            />
            <div role="status" className="news">
              {done !== null && <DoneCard done={done} till={till} />}
              {open === null && till.left !== null && (
                <Overlay>
                  <LeftCard left={till.left} till={till} onGoOn={settle} />
                </Overlay>
              )}
              {done === null && open === null && voucher === null && <ProgramNews />}
            </div>
          </div>
          <div hidden={voucher === null && open === null} onClick={() => isOlder && settle(found)}>
            <div className="stack found" inert={isOlder}>
              {voucher !== null && <VoucherCard key={voucher} code={voucher} till={till} />}
              {open !== null && 'member_id' in open.buyer && (
                <Member
                  key={open.buyer.member_id}
                  memberId={open.buyer.member_id}
                  form={form}
                  onText={settle}
                />
              )}
              {open !== null && 'client_email' in open.buyer && <Stranger form={form} />}
            </div>
          </div>
        </div>
        <Day till={till} />
      </div>
    </>
  );
}

/** News that a cashier should know before the first customer comes. */
function ProgramNews() {
  const t = useTillTexts();
  const { data } = useProgram();
  if (data?.status === 'paused')
    return (
      <p className="strip ending">
        <Icon name="info" />
        <span>{t.paused}</span>
      </p>
    );
  if (data?.double_points.some(({ is_open: isOpen }) => isOpen) !== true) return null;
  return (
    <p className="icon-line gain news-line">
      <Drawn path={SPARKLES} size={18} />
      <span>{t.doubleNow}</span>
    </p>
  );
}

function Member(props: { memberId: number; form: Form; onText: (text: string) => void }) {
  const { memberId, form, onText } = props;
  const { till } = form;
  const shared = useTexts();
  const { api, shop } = usePlace();
  const member = useQuery({
    queryKey: [shop.id, 'till-member', memberId],
    queryFn: ({ signal }) => api.getTillMember(memberId, { signal, attempts: 2 }),
  });
  const { open } = till;
  const { data } = member;
  // The search in the frame passes on an id only.
  useEffect(() => {
    if (data === undefined || till.open?.name !== '') return;
    till.name(nameOf(data, shared.noName));
    onText(data.client_code === null ? nameOf(data, shared.noName) : inGroups(data.client_code));
  });
  if (open === null) return null;
  const mayBuy = data === undefined || data.state === 'member' || data.state === 'invited';
  return (
    <>
      <section className="card inside stack">
        {data !== undefined ? (
          <Person member={data} />
        ) : member.isError ? (
          <Problem error={member.error} onRetry={() => void member.refetch()} />
        ) : (
          <Waiting rows={1} tall />
        )}
        {(mayBuy || open.sent !== null) && (
          <PurchaseForm
            key={open.key}
            {...form}
            input={form.amount}
            draft={open}
            waits={data?.state === 'invited'}
          />
        )}
        {mayBuy && data !== undefined && data.stamps.length > 0 && (
          <Overlay>
            <Stamps cards={data.stamps} />
          </Overlay>
        )}
      </section>
      {data !== undefined && data.vouchers.length > 0 && <ReadyToUse vouchers={data.vouchers} till={till} />}
    </>
  );
}

/** Somebody who is not known here can buy. */
function Stranger({ form }: { form: Form }) {
  const t = useTillTexts();
  const { open } = form.till;
  if (open === null) return null;
  return (
    <section className="card inside stack">
      <div className="person">
        <span className="avatar" aria-hidden="true">
          <Icon name="mail" />
        </span>
        <div className="words">
          <b>{open.name}</b>
          <span className="small">{t.strangerTitle}</span>
        </div>
      </div>
      <p className="strip ending">
        <Icon name="info" />
        <span>{t.stranger}</span>
      </p>
      <PurchaseForm key={open.key} {...form} input={form.amount} draft={open} waits />
    </section>
  );
}

/** A button that is gone after its press leaves the focus nowhere, and what is typed next would be lost. */
function useFocusOfGoneButtons(page: RefObject<HTMLElement | null>, next: Amount): void {
  const focusNext = useEffectEvent(() => next.current?.focus());
  useEffect(() => {
    const root = page.current!;
    let last: EventTarget | null = null;
    const remember = ({ target }: FocusEvent) => (last = target);
    const observer = new MutationObserver(() => {
      if (!(last instanceof Element) || last.isConnected) return;
      last = null;
      // A dialog that closes gives the focus back first.
      setTimeout(() => document.activeElement === document.body && focusNext());
    });
    root.addEventListener('focusin', remember);
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      root.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [page]);
}

/** Takes up what the search passes on in the address, and takes it out of there: a reload begins with what was typed. */
function usePassedOn(till: Till, setText: (text: string) => void): void {
  const [query, setQuery] = useSearchParams();
  const [member, code, email] = ['member', 'code', 'email'].map((name) => query.get(name));
  useEffect(() => {
    if (!member && !code && !email) return;
    setQuery({}, { replace: true });
    if (member) till.openPurchase({ member_id: Number(member) }, '');
    if (email) till.openPurchase({ client_email: email }, email);
    if (code) till.showVoucher(Number(code));
    setText(code ? inGroups(code) : (email ?? ''));
  }, [member, code, email]);
}
