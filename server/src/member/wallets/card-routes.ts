import { Type } from 'typebox';
import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import type { Database } from '#db/database.ts';
import { Text } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { NothingHere } from '#problems/problem.ts';
import type { Holder, HolderReader } from '#points/holder-reader.ts';
import type { WalletSettings } from '#settings/wallet-settings.ts';
import { hashApplePass, isAppleUsable, signApplePass, type AppleContext } from './apple-pass.ts';
import { readCardFacts, type CardFacts } from './card-facts.ts';
import { drawCardIcon } from './draw-icon.ts';
import { googleIdsOf, signGoogleLink } from './google-pass.ts';
import { issuePass, makeToken, writePassName } from './store-passes.ts';
import { CardWalletsSchema, type CardWallets } from './wire.ts';
import { createTickets, TICKET_CHARACTERS, type WalletKind } from './ticket.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

export interface CardRoutesOptions {
  readonly db: Database;
  /** The same for phones, which share few connections. */
  readonly phones: Database;
  readonly holderOf: HolderReader;
  readonly secret: SecretKeys;
  /** Null if no wallet is configured. */
  readonly wallets: WalletSettings | null;
  /** Null if Apple’s passes are not configured. */
  readonly apple: AppleContext | null;
}

const params = Type.Object({ ticket: Text({}, TICKET_CHARACTERS) });
const hidden = { hide: true, params } as const;
const config = { credential: 'none', rateLimit: 'call', turn: 'none' } as const;

/** A member adds the card to the wallet of a phone. */
export function cardRoutes({ db, phones, holderOf, secret, wallets, apple }: CardRoutesOptions) {
  const tickets = createTickets(secret);
  let icon: Buffer | undefined;
  return {
    listMyWallets: route({
      schema: {
        operationId: 'listMyWallets',
        summary: 'Add my card to a wallet',
        description:
          'Addresses to open on the member’s phone. Null where the service offers no such wallet, and for anyone who takes no part in the program.',
        tags: ['My account'],
        response: { 200: CardWalletsSchema },
      },
      config: { turn: 'read', credential: 'user', document: 'extensions' },
      handler: async ({ commerceId, userId }): Promise<CardWallets> => {
        const kinds: WalletKind[] = [];
        if (wallets?.google) kinds.push('google');
        if (isAppleUsable(wallets?.apple)) kinds.push('apple');
        if (kinds.length === 0) return { google: null, apple: null };
        const [facts] = await readCardFacts(db, [await holderOf({ commerceId, userId })]);
        if (facts?.isValid !== true) return { google: null, apple: null };
        const issued = await tickets.issue(
          db,
          kinds.map((kind) => ({ commerceId, userId, kind })),
        );
        const addressOf = (kind: WalletKind) => {
          const ticket = issued[kinds.indexOf(kind)];
          return ticket === undefined ? null : `${wallets!.base}/wallet/${kind}/cards/${ticket}`;
        };
        return { google: addressOf('google'), apple: addressOf('apple') };
      },
    }),

    downloadAppleCard: route({
      schema: hidden,
      config,
      handler: async (request, reply) => {
        if (!isAppleUsable(apple?.apple)) throw new NothingHere();
        const { facts, commerceId, memberId } = await openTicket(request.params.ticket, 'apple');
        const token = makeToken();
        const shown = hashApplePass(facts);
        const { serial } = await issuePass(phones, {
          commerceId,
          memberId,
          kind: 'apple',
          token,
          shown,
          isSent: true,
        });
        const identity = { serial: writePassName({ commerceId, serial }), token };
        return reply
          .type('application/vnd.apple.pkpass')
          .header('content-disposition', 'attachment; filename="card.pkpass"')
          .send(await signApplePass(apple, facts, identity));
      },
    }),

    openGoogleCard: route({
      schema: hidden,
      config,
      handler: async (request, reply) => {
        if (!wallets?.google) throw new NothingHere();
        const { facts, commerceId, memberId } = await openTicket(request.params.ticket, 'google');
        const context = { base: wallets.base, google: wallets.google };
        // The object’s hash depends on ids that the first call makes, so the sender fills it in.
        const { serial, googleClass, knowsShop } = await issuePass(phones, {
          commerceId,
          memberId,
          kind: 'google',
          token: null,
          shown: Buffer.alloc(0),
          isSent: false,
        });
        const ids = googleIdsOf(context, googleClass, serial);
        return reply.redirect(await signGoogleLink(context, facts, ids, knowsShop), 303);
      },
    }),

    sendIcon: route({
      schema: { hide: true },
      config: { credential: 'none', turn: 'none', cacheControl: 'public, max-age=86400' },
      handler: (_request, reply) => {
        icon ??= drawCardIcon(DEFAULT_BRAND, ICON_PIXELS);
        return reply.type('image/png').send(icon);
      },
    }),
  };

  /** @throws NothingHere if the person takes no part any more */
  async function openTicket(ticket: string, kind: WalletKind): Promise<OpenedTicket> {
    const { commerceId, userId } = await tickets.open(phones, ticket, kind);
    const holder: Holder = await holderOf({ commerceId, userId });
    const [facts] = await readCardFacts(phones, [holder]);
    if (facts?.isValid !== true) throw new NothingHere();
    return { facts, commerceId, memberId: holder.member!.id };
  }
}

interface OpenedTicket {
  readonly facts: CardFacts;
  readonly commerceId: number;
  readonly memberId: number;
}

/** Google asks for at least 660 pixels. One picture does for all shops, because drawing it takes 50 ms. */
const ICON_PIXELS = 660;
