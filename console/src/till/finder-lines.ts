import type { Found } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { initials, type Format } from '../format.ts';
import type { Texts } from '../texts/texts.ts';
import type { IconName } from '../ui/icon.tsx';
import type { useTillTexts } from './texts.ts';

/** A line of the list: one thing that a text may stand for. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly end?: string;
  /** The initials of a person, or the picture of something else. */
  readonly mark: { readonly initials: string } | { readonly icon: IconName };
  readonly stands: Stands;
}

/** The thing that a line stands for. `text` is what the field says once it is picked. */
export type Stands =
  | { readonly for: 'member'; readonly memberId: number; readonly name: string; readonly text: string }
  | { readonly for: 'voucher'; readonly voucher: NonNullable<Found['voucher']> }
  | { readonly for: 'stranger'; readonly email: string };

/** Returns a line for everything that was found, in the order of the answer. */
export function linesOf(found: Found, words: LineWords): Line[] {
  const { voucher, movement, stranger } = found;
  const { shared, till } = words;
  const lines = found.members.map((member) => memberLine(member, words));
  if (voucher !== null)
    lines.push({
      id: 'voucher',
      label: voucher.title,
      hint: [inGroups(voucher.client_benefit_code), shared.voucherStates[voucher.state]].join(' · '),
      mark: { icon: 'ticket' },
      stands: { for: 'voucher', voucher },
    });
  if (movement !== null)
    lines.push({
      id: 'movement',
      label: shared.foundMovement(String(movement.id)),
      hint: '',
      mark: { icon: 'purchase' },
      stands: { for: 'member', memberId: movement.member_id, name: '', text: String(movement.id) },
    });
  if (stranger !== null)
    lines.push({
      id: 'stranger',
      label: till.newEmail(stranger),
      hint: till.newEmailHint,
      mark: { icon: 'mail' },
      stands: { for: 'stranger', email: stranger },
    });
  return lines;
}

interface LineWords {
  readonly shared: Texts;
  readonly till: ReturnType<typeof useTillTexts>;
  readonly format: Format;
}

function memberLine(member: Found['members'][number], { shared, format }: LineWords): Line {
  const code = member.client_code === null ? null : inGroups(member.client_code);
  const name = member.username ?? member.email ?? code ?? shared.noName;
  const state = member.state === 'member' ? member.level_name : shared.states[member.state];
  const address = member.username === null ? null : member.email;
  return {
    id: `member ${member.member_id}`,
    label: name,
    hint: [code, state, address].filter(Boolean).join(' · '),
    end: shared.points(member.points, format),
    mark: { initials: initials(member.username) },
    stands: { for: 'member', memberId: member.member_id, name, text: code ?? name },
  };
}
