import type { MemberClient, MyCard, MyProfile, RedeemableBenefit } from '@loyalty/sdk';
import type { ClubPage } from './club.ts';
import type { Device } from './device.ts';
import { voucherState } from './use-voucher-state.ts';
import { useLoaded, type Loaded } from './use-loaded.ts';

export type MyClub = Awaited<ReturnType<typeof loadMyClub>>;

const EVERY_MS = 3_500;

/**
 * Everything about the member except the history, always as the service has it: asked again every few seconds, with
 * each view, and when the member comes back. Without a network, it is what the device has kept.
 */
export function useMyClub({ client, device }: ClubPage, view: string): Loaded<MyClub> {
  return useLoaded<MyClub>(
    async (signal) => {
      const session = device.session();
      const myClub = await loadMyClub(client, signal, readKept(device)?.value.card ?? null);
      // Somebody else has signed in in another tab, so this may be a mixture of two members.
      if (device.session() !== session) throw new Error('another member has signed in');
      keepForOffline(device, session, myClub);
      return myClub;
    },
    {
      now: device.now,
      on: view,
      everyMs: EVERY_MS,
      kept: () => readKept(device),
      async hasChanged({ me, vouchers }, signal) {
        // A till that redeems a code changes nothing in the account.
        const hasCodes = vouchers.some((voucher) => voucherState(voucher, device.now()) === 'good');
        const [meNow, vouchersNow] = await Promise.all([
          client.getMyAccount({ signal }),
          hasCodes ? client.listMyBenefits({ signal }) : vouchers,
        ]);
        return JSON.stringify([me, vouchers]) !== JSON.stringify([meNow, vouchersNow]);
      },
    },
  );
}

/** @param card the member's card, if it is known: it never changes */
async function loadMyClub(client: MemberClient, signal: AbortSignal, card: MyCard | null) {
  const [me, level, available, vouchers, rewards, expirations, knownCard, profile, program, activity] =
    await Promise.all([
      client.getMyAccount({ signal }),
      client.getMyLevel({ signal }),
      client.listAvailableBenefits({ signal }),
      client.listMyBenefits({ signal }),
      client.listAutomaticRewards({ signal }),
      client.listMyExpirations({ signal }),
      card ?? client.getMyCard({ signal }),
      client.getMyProfile({ signal }),
      client.getProgram({ signal }),
      client.listMyHistory({}, { signal }),
    ]);
  // Null on the device, which keeps no more of a person than it needs.
  const myProfile = profile as MyProfile | null;
  const myCard = knownCard && { ...knownCard, username: me.username };
  return {
    me,
    level,
    available,
    vouchers,
    rewards,
    expirations,
    card: myCard,
    profile: myProfile,
    program,
    latest: activity.results,
  };
}

function readKept(device: Device): { value: MyClub; asOf: Date } | null {
  return device.kept() as { value: MyClub; asOf: Date } | null;
}

const MOST_PAST_CODES = 20;

function keepForOffline(device: Device, session: string | null, myClub: MyClub): void {
  const isGood = (voucher: RedeemableBenefit) => voucherState(voucher, device.now()) === 'good';
  const past = myClub.vouchers.filter((voucher) => !isGood(voucher)).slice(0, MOST_PAST_CODES);
  device.keep(session, {
    ...myClub,
    me: { ...myClub.me, email: null, phone: null },
    profile: null,
    latest: [],
    vouchers: myClub.vouchers.filter((voucher) => isGood(voucher) || past.includes(voucher)),
  } satisfies MyClub);
}
