import type { Factor, MemberMovement } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { sumOf } from '../amount.ts';
import { nameOfBranch, nameOfRegister } from '../branches.ts';
import { useFormat } from '../format.ts';
import { useBranches, usePlace } from '../session.ts';
import { TextButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { LineAct } from './acts/line-acts.tsx';
import { copyText } from '../ui/copy-text.ts';
import { useMemberTexts } from './texts.ts';
import { When } from '../ui/when.tsx';

/** One line of the history, and below it, once it is open, how it came about and what can be done with it. */
export function MovementRows(props: {
  line: MemberMovement;
  isOpen: boolean;
  isNamed: boolean;
  hasBalances: boolean;
  onToggle: (isOpen: boolean) => void;
  onAct: (act: LineAct) => void;
}) {
  const t = useMemberTexts();
  const f = useFormat();
  const { currency } = usePlace().shop;
  const branches = useBranches();
  const { line, isOpen } = props;
  const paid = paidOf(line, currency);
  const id = line.id === 0 ? `expired-${Date.parse(line.at)}` : `movement-${line.id}`;
  const arithmetic =
    line.factors.length > 1
      ? shortArithmetic(line.factors, t.doublePoints)
      : (line.factors[0]?.formula ?? '');
  return (
    <>
      <tr id={id} className={`movement ${isOpen ? 'is-open' : ''} ${props.isNamed ? 'is-named' : ''}`}>
        <td className="wide">
          <When at={line.at} />
        </td>
        <td>
          <button
            type="button"
            className="row-link opener"
            aria-expanded={isOpen}
            aria-controls={`${id}-more`}
            onClick={() => props.onToggle(!isOpen)}
          >
            <span className="row-words">
              <span className="name-line">
                <b>{titleOf(line, t)}</b>
                {line.register_id !== null && (
                  <span>
                    {nameOfRegister(branches, line.register_id, line.branch_id) ??
                      t.register(String(line.register_id))}
                  </span>
                )}
                <Returned line={line} />
              </span>
              {!isOpen && <span className="small">{arithmetic || line.note}</span>}
            </span>
            <Icon name="down" size={16} />
          </button>
        </td>
        <td className="number later">{paid === null ? '' : f.money(paid)}</td>
        <td className={`number change ${line.points > 0 ? 'gain' : ''}`}>
          {line.points === 0 ? '' : f.change(line.points)}
        </td>
        {props.hasBalances && (
          <td className="number later">{line.balance === null ? '' : f.number(line.balance)}</td>
        )}
      </tr>
      <tr id={`${id}-more`} hidden={!isOpen} className="more-of is-open">
        <td className="later" />
        <td className="wide" colSpan={props.hasBalances ? 4 : 3}>
          {isOpen && <Unfolded line={line} onAct={(kind) => props.onAct({ kind, line })} />}
        </td>
      </tr>
    </>
  );
}

/** Returns the amount paid for a purchase, or paid back, with its cents. */
function paidOf({ amount, cents }: MemberMovement, currency: string): number | null {
  return amount === null ? null : sumOf({ units: amount, cents }, currency);
}

function titleOf({ kind, title }: MemberMovement, t: ReturnType<typeof useMemberTexts>): string {
  const said = t.kinds[kind];
  return title === null ? said : `${title} · ${t.kindsShort[kind] ?? said}`;
}

/** `1,750 ÷ 100 × 2 × 1.5 Captain`: why so many points, without a click. */
function shortArithmetic(factors: readonly Factor[], doublePoints: string): string {
  return factors
    .map(({ kind, formula, name }) =>
      [formula, kind === 'double_points' ? doublePoints : name].filter(Boolean).join(' '),
    )
    .join(' ');
}

function Returned({ line }: { line: MemberMovement }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { currency } = usePlace().shop;
  const { reversed_amount: units, reversed_cents: cents } = line;
  const returned = sumOf({ units, cents }, currency);
  // Below zero if the order grew by more than came back.
  if (line.kind !== 'purchase' || returned <= 0 || line.amount === null) return null;
  return (
    <span className="tag ending">
      {units >= line.amount
        ? t.allReturned
        : t.returned(f.money(returned), f.money(paidOf(line, currency) ?? 0))}
    </span>
  );
}

function Unfolded({ line, onAct }: { line: MemberMovement; onAct: (kind: LineAct['kind']) => void }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { shop } = usePlace();
  const branches = useBranches();
  const { factors, voucher } = line;
  const paid = paidOf(line, shop.currency);
  return (
    <div className="unfolded" role="group" aria-label={t.howItCame}>
      {factors.length > 0 ? (
        <p className="sum">
          {factors.map((factor, i) => (
            <span key={factor.kind} className="step">
              {i > 0 && <span className="small">{t.andThen} </span>}
              <span className="tag">
                {[factor.formula, factor.kind === 'double_points' ? t.doublePoints : factor.name]
                  .filter(Boolean)
                  .join(' ')}
                {' = '}
                {f.number(factor.points)}
              </span>
            </span>
          ))}
          <b>{t.shared.points(line.points, f)}</b>
        </p>
      ) : line.explanation !== null && line.explanation !== '' ? (
        <p lang={shop.locale}>{line.explanation}</p>
      ) : line.kind === 'purchase' ? (
        <p className="small">{t.noFactors}</p>
      ) : null}
      <p className="small facts-line">
        <span>{f.dayAndTime(line.at)}</span>
        <span>{t.by(line.by)}</span>
        {line.program_version !== null && <span>{t.version(line.program_version)}</span>}
        {paid !== null && <span className="phone-word">{f.money(paid)}</span>}
        {line.balance !== null && (
          <span className="phone-word">{t.balanceAfter(f.number(line.balance))}</span>
        )}
        {line.branch_id !== null && (
          <span>
            {nameOfBranch(branches, line.branch_id) ??
              (branches.length === 0 ? t.branch : t.unknownBranch)(String(line.branch_id))}
          </span>
        )}
        {line.external_id !== null && <span>{t.externalId(line.external_id)}</span>}
        {voucher !== null && (
          <span>
            {inGroups(voucher.client_benefit_code)}: {t.shared.voucherStates[voucher.state]}
          </span>
        )}
        {line.id !== 0 && <span>{t.movement(String(line.id))}</span>}
      </p>
      {line.id !== 0 && (
        <div className="line-acts">
          {line.reverses_id !== null && <a href={`#movement-${line.reverses_id}`}>{t.toPurchase}</a>}
          {line.can.includes('give_back') && line.voucher !== null && (
            <TextButton onClick={() => onAct('give back')}>{t.acts.giveBack}</TextButton>
          )}
          {line.can.includes('reverse') && (
            <>
              <TextButton onClick={() => onAct('part')}>{t.acts.returnPart}</TextButton>
              <TextButton onClick={() => onAct('all')}>{t.acts.returnAll}</TextButton>
            </>
          )}
          <TextButton
            onClick={() =>
              void copyText(
                `${location.origin}${location.pathname}#movement-${line.id}`,
                t.linkCopied,
                t.notCopied,
              )
            }
          >
            {t.copyLink}
          </TextButton>
        </div>
      )}
    </div>
  );
}
