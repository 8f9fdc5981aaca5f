import type { RedeemableBenefit } from '@loyalty/sdk';
import { GiftLine, titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Icon } from './ui/icon.tsx';
import { Picture } from './ui/picture.tsx';
import type { MyClub } from './use-my-club.ts';
import { voucherState } from './use-voucher-state.ts';
import { wordsOfCodes } from './words-of-codes.ts';

/** The codes that are ready to use, and below them, folded up, those that were used or have expired. */
export function Codes(props: {
  myClub: Pick<MyClub, 'vouchers' | 'holds' | 'latest'>;
  onShow: (voucher: RedeemableBenefit) => void;
}) {
  const { t, f, now } = useClub();
  const { vouchers } = props.myClub;
  const isGood = (voucher: RedeemableBenefit) => voucherState(voucher, now()) === 'good';
  const good = vouchers.filter(isGood);
  const past = vouchers.filter((voucher) => !isGood(voucher));
  const words = wordsOfCodes(props.myClub, good, { t, f, now: now() });
  return (
    <section>
      <h2>{t.codes}</h2>
      {good.length === 0 && (
        <p class="card hint">
          <span class="badge">
            <Icon name="ticket" />
          </span>
          <span class="row-words">{t.codesNone}</span>
          <a class="button compact" href="#benefits">
            {t.codesToBenefits}
          </a>
        </p>
      )}
      {good.length > 0 && (
        <ul class="tickets">
          {good.map((voucher) => (
            <Ticket
              key={voucher.client_benefit_code}
              voucher={voucher}
              word={words.get(voucher.client_benefit_code) ?? null}
              onShow={props.onShow}
            />
          ))}
        </ul>
      )}
      {past.length > 0 && (
        <details>
          <summary>{t.usedCodes}</summary>
          <ul class="card list">
            {past.map((voucher) => (
              <PastCode key={voucher.client_benefit_code} voucher={voucher} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** A code that is ready to use, as a ticket to tear off. */
function Ticket({
  voucher,
  word,
  onShow,
}: {
  voucher: RedeemableBenefit;
  /** What has become of it, if that is news. */
  word: string | null;
  onShow: (voucher: RedeemableBenefit) => void;
}) {
  const { t, f, now, shopLocale } = useClub();
  const { due_date: due, benefit } = voucher;
  const title = titleOf(benefit);
  return (
    <li class="card ticket">
      <Picture benefit={benefit} />
      <div class="ticket-words">
        <h3 lang={shopLocale}>{title}</h3>
        <GiftLine benefit={benefit} />
        {word !== null && <p class="small">{word}</p>}
        <p class="small">{due === null ? t.noDue : t.dueBy(f.moment(due, now(), true))}</p>
      </div>
      <button
        type="button"
        class="ticket-stub"
        aria-label={`${t.showCode}: ${title}`}
        onClick={() => onShow(voucher)}
      >
        <Icon name="card" size={24} />
        {t.showCode}
      </button>
    </li>
  );
}

function PastCode({ voucher }: { voucher: RedeemableBenefit }) {
  const { t, shopLocale } = useClub();
  return (
    <li class="row past">
      <span class="thumb">
        <Picture benefit={voucher.benefit} />
      </span>
      <div class="row-words">
        <h3 lang={shopLocale}>{titleOf(voucher.benefit)}</h3>
        <p class="small">{voucher.used ? t.used : t.past}</p>
      </div>
    </li>
  );
}
