import { Type, type Static } from 'typebox';
import { listKeys, type ApiKey } from '#commerces/api-keys.ts';
import { endKey } from '#commerces/end-key.ts';
import { issueKey, type IssuedKey } from '#commerces/issue-key.ts';
import { UnknownKey } from '#commerces/lock-key.ts';
import { MOST_OVERLAP_HOURS, rotateKey } from '#commerces/rotate-key.ts';
import { readWireIds, type WireIds } from '#batching/wire-ids.ts';
import type { Db } from '#db/database.ts';
import { Int64, Nullable, StrEnum } from '#http/schema.ts';
import { SCOPE_WORDS, scopesOf } from '#http/key-scopes.ts';
import { STAFF_ROLES } from '#http/staff-roles.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { ApiKeySchema, keyId, NewApiKeySchema } from './wire.ts';

/** Ended keys that are listed besides all that are accepted. */
const MOST_ENDED = 50;

const params = Type.Object({ key_id: keyId });
const tags = ['Developers'];
/** Changes of the keys of a commerce go one after the other. */
const turn = { write: () => 'keys' };
const unknown = { 404: 'The commerce has no key with this id.' };

/**
 * The owner creates, replaces and revokes the keys of the shop's servers and scripts. `noteCalls` writes the last uses that this
 * process still has in memory.
 */
export function keyRoutes({ adminRead, adminAct }: AdminRoutes, noteCalls: () => Promise<void>) {
  return {
    listKeys: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listKeys',
        summary: 'List the API keys',
        description:
          'Newest first: all keys that are accepted, and the newest of those that have ended. The last use is known after a few seconds; a process that is killed forgets the last of them.',
        tags,
        response: { 200: Type.Array(ApiKeySchema) },
      },
      read: async (db, { commerceId }) => {
        await noteCalls();
        const [keys, ids] = [await listKeys(db, commerceId), await readWireIds(db, commerceId, 'key')];
        const ended = keys.filter(({ isWorking }) => !isWorking).slice(-MOST_ENDED);
        return keys
          .filter((key) => key.isWorking || ended.includes(key))
          .toReversed()
          .map((key) => keyToWire(key, ids));
      },
    }),

    createKey: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'createKey',
        summary: 'Create an API key',
        description:
          'The answer has the whole key, which cannot be read again. If the answer is lost, revoke the key and create another one.',
        tags,
        body: Type.Object({
          name: Type.String({
            maxLength: 100,
            pattern: ONE_LINE,
            description: 'What the key is for.',
            examples: ['Online shop'],
          }),
          role: Type.Optional(
            Nullable(
              StrEnum(STAFF_ROLES, {
                description: 'For a key of the back office. Without it, the key is one of the contract.',
              }),
            ),
          ),
          scopes: Type.Optional(
            Nullable(
              Type.Array(StrEnum(SCOPE_WORDS, { examples: ['default'] }), {
                minItems: 1,
                maxItems: SCOPE_WORDS.length,
                description:
                  'What a key of the contract may do. `default` stands for all but `undo`, `sign_in` and `adjust`, and is what a key has without a choice. `read` opens the e-mail addresses of members.',
                'x-hint': 'docs/scopes.md says what each scope opens.',
              }),
            ),
          ),
        }),
        response: { 201: NewApiKeySchema },
      },
      refusals: { 409: 'The commerce has as many keys as it can have.' },
      turn,
      act: async (tx, { commerceId, body: { name, role = null, scopes = null } }) => {
        const { answer, entry } = await issueKey(tx, commerceId, {
          name,
          role,
          scopes: scopes === null ? null : scopesOf(scopes),
        });
        return { answer: await newKeyToWire(tx, commerceId, answer), entry };
      },
    }),

    rotateKey: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'rotateKey',
        summary: 'Replace an API key',
        description:
          'Creates a key with the same name, role and scopes. The old one is accepted for some hours more, so that servers can change over one by one.',
        tags,
        params,
        body: Type.Object({
          overlap_hours: Type.Optional(
            Int64({
              minimum: 0,
              maximum: MOST_OVERLAP_HOURS,
              default: 24,
              description: 'For how long the old key is still accepted. 0 ends it at once.',
              examples: [24],
            }),
          ),
        }),
        response: { 201: NewApiKeySchema },
      },
      refusals: {
        ...unknown,
        409: 'The key has ended or was replaced already, or the commerce has as many keys as it can have.',
      },
      turn,
      act: async (tx, { commerceId, params, body: { overlap_hours: overlapHours = 24 } }) => {
        const id = await readKeyId(tx, commerceId, params.key_id);
        const { answer, entry } = await rotateKey(tx, commerceId, id, overlapHours);
        return { answer: await newKeyToWire(tx, commerceId, answer), entry };
      },
    }),

    revokeKey: adminAct({
      role: 'owner',
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key',
        description:
          'For good. It is refused within five seconds everywhere. This needs no fresh code, so that a key that got out can be ended at once. Repeating it changes nothing.',
        tags,
        params,
        response: { 200: ApiKeySchema },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params }) => {
        const id = await readKeyId(tx, commerceId, params.key_id);
        const { entry } = await endKey(tx, commerceId, id);
        return { answer: await readKey(tx, commerceId, id), entry };
      },
    }),
  };
}

/** @throws UnknownKey if no id was handed out as this number */
export async function readKeyId(db: Db, commerceId: number, wireId: number): Promise<number> {
  const id = (await readWireIds(db, commerceId, 'key')).fromWire(wireId);
  if (id === null) throw new UnknownKey();
  return id;
}

async function newKeyToWire(
  db: Db,
  commerceId: number,
  { id, key }: IssuedKey,
): Promise<Static<typeof NewApiKeySchema>> {
  return { ...(await readKey(db, commerceId, id)), key };
}

async function readKey(db: Db, commerceId: number, id: number): Promise<Static<typeof ApiKeySchema>> {
  const key = (await listKeys(db, commerceId)).find((one) => one.id === id)!;
  return keyToWire(key, await readWireIds(db, commerceId, 'key'));
}

function keyToWire(key: ApiKey, ids: WireIds): Static<typeof ApiKeySchema> {
  const { id, name, prefix, role, scopes, isWorking, createdAt, lastUsedAt, endsAt } = key;
  const wireId = (other: number | null) => (other === null ? null : ids.toWire(other));
  return {
    key_id: ids.toWire(id),
    name,
    prefix,
    role,
    scopes: scopes === null ? null : [...scopes],
    state: !isWorking ? 'ended' : endsAt === null ? 'active' : 'ending',
    created_at: createdAt,
    last_used_at: lastUsedAt,
    ends_at: endsAt,
    replaces_id: wireId(key.replacesId),
    replaced_by_id: wireId(key.replacedById),
  };
}
