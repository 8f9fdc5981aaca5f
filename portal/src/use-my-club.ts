import type {
  AutomaticReward,
  MemberClient,
  MyAccount,
  MyCard,
  MyProfile,
  PendingPoints,
  PublicEarningRule,
  PublicProgram,
  RedeemableBenefit,
  StampCard,
} from '@loyalty/sdk';
import { useRef } from 'preact/hooks';
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
  const last = useRef<Rare | null>(null);
  const changed = useRef<Changed | null>(null);
  return useLoaded<MyClub>(
    async (signal) => {
      const session = device.session();
      const known = {
        card: readKept(device)?.value.card ?? null,
        last: last.current,
        changed: changed.current,
      };
      changed.current = null;
      const myClub = await loadMyClub(client, signal, known);
      // Somebody else has signed in in another tab, so this may be a mixture of two members.
      if (device.session() !== session) throw new Error('another member has signed in');
      last.current = myClub;
      keepForOffline(device, session, myClub);
      return myClub;
    },
    {
      now: device.now,
      on: view,
      everyMs: EVERY_MS,
      kept: () => readKept(device),
      async hasChanged({ me, vouchers, pending, stamps, program }, signal) {
        // A till that redeems a code changes nothing in the account.
        const hasCodes = vouchers.some((voucher) => voucherState(voucher, device.now()) === 'good');
        const [meNow, vouchersNow, pendingNow, stampsNow] = await Promise.all([
          client.getMyAccount({ signal }),
          hasCodes ? client.listMyBenefits({ signal }) : vouchers,
          // A purchase that waits changes nothing in the account either, nor one that is too small for a point.
          program.earning.points_wait ? client.listMyPending({ signal }) : pending,
          program.earning.has_stamps ? client.listMyStamps({ signal }) : stamps,
        ]);
        const isSame =
          JSON.stringify([me, vouchers, pending, stamps]) ===
          JSON.stringify([meNow, vouchersNow, pendingNow, stampsNow]);
        changed.current = isSame ? null : { me: meNow, vouchers: hasCodes ? vouchersNow : null };
        return !isSame;
      },
    },
  );
}

/** The data that `hasChanged` has just read. Vouchers are null if it did not ask for them. */
interface Changed {
  readonly me: MyAccount;
  readonly vouchers: RedeemableBenefit[] | null;
}

/** The parts that change too seldom to be loaded again with each change of the balance. */
interface Rare {
  readonly rewards: AutomaticReward[];
  readonly profile: MyProfile | null;
  readonly program: PublicProgram;
}

/**
 * After a change that another device made, only that is loaded which such a change can touch: a member has ten calls a
 * second, on all devices together.
 */
async function loadMyClub(
  client: MemberClient,
  signal: AbortSignal,
  known: { card: MyCard | null; last: Rare | null; changed: Changed | null },
) {
  const { changed } = known;
  const rare = changed && known.last;
  const isSameProfile =
    rare?.profile?.phone === changed?.me.phone && rare?.profile?.username === changed?.me.username;
  const program = Promise.resolve(rare?.program ?? client.getProgram({ signal }));
  const [
    me,
    pending,
    stamps,
    earning,
    level,
    available,
    vouchers,
    rewards,
    expirations,
    knownCard,
    profile,
    shopProgram,
    activity,
    holds,
  ] = await Promise.all([
    changed?.me ?? client.getMyAccount({ signal }),
    program.then((shop): Promise<PendingPoints[]> | PendingPoints[] =>
      shop.earning.points_wait ? client.listMyPending({ signal }) : [],
    ),
    program.then((shop): Promise<StampCard[]> | StampCard[] =>
      shop.earning.has_stamps ? client.listMyStamps({ signal }) : [],
    ),
    program.then(async (shop): Promise<PublicEarningRule[]> =>
      shop.earning.has_rules ? (await client.getEarningRules({ signal })).rules : [],
    ),
    // A shop without tiers has none to ask for.
    program.then(({ levels }) => (levels === null ? null : client.getMyLevel({ signal }))),
    client.listAvailableBenefits({ signal }),
    changed?.vouchers ?? client.listMyBenefits({ signal }),
    rare?.rewards ?? client.listAutomaticRewards({ signal }),
    client.listMyExpirations({ signal }),
    known.card ?? client.getMyCard({ signal }),
    (isSameProfile && rare?.profile) || client.getMyProfile({ signal }),
    program,
    client.listMyHistory({}, { signal }),
    client.listMyHolds({ signal }),
  ]);
  // Null on the device, which keeps no more of a person than it needs.
  const myProfile = profile as MyProfile | null;
  const myCard = knownCard && { ...knownCard, username: me.username };
  return {
    me,
    pending,
    stamps,
    earning,
    level,
    available,
    vouchers,
    rewards,
    expirations,
    card: myCard,
    profile: myProfile,
    program: shopProgram,
    latest: activity.results,
    holds,
  };
}

function readKept(device: Device): { value: MyClub; asOf: Date } | null {
  const kept = device.kept() as { value: MyClub; asOf: Date } | null;
  // What an older portal has kept knows of no holds, of no points that wait, no stamps and no rules.
  return kept && { ...kept, value: { ...kept.value, holds: [], pending: [], stamps: [], earning: [] } };
}

/** True for what the device has kept. It has no profile and no history, so nobody can tell what has changed since. */
export function isKept({ profile }: MyClub): boolean {
  return profile === null;
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
    holds: [],
    pending: [],
    stamps: [],
    earning: [],
    vouchers: myClub.vouchers.filter((voucher) => isGood(voucher) || past.includes(voucher)),
  } satisfies MyClub);
}
