import type { MemberMovement } from '@loyalty/sdk/admin';
import { GiveBack } from './give-back.tsx';
import { ReturnPurchase } from './return-purchase.tsx';

/** What somebody wants to do with a line of the history. */
export interface LineAct {
  readonly kind: 'all' | 'part' | 'give back';
  readonly line: MemberMovement;
}

/** The dialog of an act. It stands outside of the line, which may fold or move when the history is read anew. */
export function LineActs(props: { act: LineAct; lines: readonly MemberMovement[]; onClose: () => void }) {
  const { act, lines, onClose } = props;
  const line = lines.find(({ id }) => id === act.line.id) ?? act.line;
  const { voucher, title, points } = line;
  if (act.kind !== 'give back')
    return <ReturnPurchase line={line} isPart={act.kind === 'part'} onClose={onClose} />;
  if (voucher === null) return null;
  return (
    <GiveBack
      what={{ code: voucher.client_benefit_code, title: title ?? '', points: -points }}
      onClose={onClose}
    />
  );
}
