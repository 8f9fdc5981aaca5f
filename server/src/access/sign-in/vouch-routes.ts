import { Type } from 'typebox';
import { transaction, type Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { route } from '#http/route.ts';
import { Text } from '#http/schema.ts';
import { ACCESS_SECONDS, type AccessTokens } from './access-token.ts';
import { access, expiresIn } from './routes.ts';
import { vouchFor } from './vouch.ts';

export const VouchedSessionSchema = Type.Object(
  { access, expires_in: expiresIn },
  { title: 'VouchedSession' },
);

/** A shop signs its customers in, with its API key. */
export function vouchRoutes({ db, accessTokens }: { db: Database; accessTokens: AccessTokens }) {
  return {
    vouchForMember: route({
      schema: {
        operationId: 'vouchForMember',
        summary: 'Sign in a customer of the shop',
        description:
          'For a customer who is signed in at the shop’s own site and has signed in here by mail before: no second code is needed. The access token is good at this commerce only and has no refresh token; call again when it ends. With it a member cannot change the profile, join, leave or get all stored data. It ends with the key. Every call is in the audit.',
        tags: ['Authentication'],
        body: Type.Object({
          client_email: Text({
            description: 'The address that the customer has proved to the shop.',
            examples: ['eva@example.com'],
          }),
        }),
        response: { 200: VouchedSessionSchema },
      },
      config: {
        turn: { write: ({ key }) => `key ${key!.keyId!}` },
        credential: 'key',
        scope: 'sign_in',
        document: 'extensions',
        cacheControl: 'no-store',
        refusals: { 404: 'Nobody with this address is a member who has signed in here by mail.' },
      },
      handler: async ({ commerceId, key, body, ip }) => {
        const vouching = {
          commerceId,
          keyId: key!.keyId!,
          email: body.client_email,
          network: clientNetworkOf(ip),
        };
        const session = await transaction(db, (tx) => vouchFor(tx, vouching));
        const { now, ...owner } = session;
        return {
          access: await accessTokens.issue({ ...owner, vouched: true }, now),
          expires_in: ACCESS_SECONDS,
        };
      },
    }),
  };
}
