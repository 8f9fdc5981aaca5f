import { Type } from 'typebox';
import { readBenefit } from '#benefits/benefit.ts';
import type { Database } from '#db/database.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { NotFound } from '#problems/problem.ts';
import { Nullable } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { editProfile, type ProfileEdit } from '#members/edit-profile.ts';
import { isBirthDate, PHONE, USERNAME } from '#members/profile.ts';
import { NotInTheProgram } from '#vouchers/exchange-benefit.ts';
import { expiringOf, readAccount, type AccountSource } from './my-account.ts';
import {
  AutomaticReward,
  automaticRewardOf,
  ExpiringPoints,
  expiringPointsOf,
  Level,
  levelOf,
  MyAccount,
  myAccountOf,
} from './my-wire.ts';

/** A signed-in person at one commerce: who they are there, their points, their tier. */
export function accountRoutes(app: App, source: AccountSource & { db: Database }): void {
  const { db } = source;
  app.get(
    '/v1/me',
    {
      schema: {
        operationId: 'getMyAccount',
        summary: 'My account at this commerce',
        tags: ['My account'],
        response: { 200: MyAccount },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => myAccountOf(await readAccount(source, request.commerceId, request.userId)),
  );

  app.patch(
    '/v1/me',
    {
      schema: {
        operationId: 'editMyAccount',
        summary: 'Change my profile at this commerce',
        description: 'Absent fields stay as they are; null clears one.',
        tags: ['My account'],
        body: Type.Object({
          username: Type.Optional(Nullable(Type.String(USERNAME))),
          phone: Type.Optional(Nullable(Type.String({ ...PHONE, description: 'E.164' }))),
          birth_date: Type.Optional(
            Nullable(Type.String({ format: 'date', description: 'From 1900-01-01 to today.' })),
          ),
        }),
        response: { 200: MyAccount },
      },
      config: {
        credential: 'user',
        document: 'extensions',
        refusals: { 400: 'The person never joined the program.' },
      },
    },
    async (request) => {
      const { commerceId, userId, body } = request;
      const { commerce } = await readAccount(source, commerceId, userId);
      const { birth_date: birthDate } = body;
      if (birthDate && !isBirthDate(birthDate, commerce.today)) throw new NotABirthDate();
      if (!(await editProfile(db, commerceId, userId, profileEditOf(body)))) throw new NotInTheProgram();
      return myAccountOf(await readAccount(source, commerceId, userId));
    },
  );

  app.get(
    '/v1/me/points/expirations',
    {
      schema: {
        operationId: 'listMyExpirations',
        summary: 'When my points expire',
        description: 'Soonest first.',
        tags: ['My account'],
        response: { 200: Type.Array(ExpiringPoints) },
      },
      config: { credential: 'user', document: 'extensions' },
    },
    async (request) =>
      expiringOf(await readAccount(source, request.commerceId, request.userId)).map(expiringPointsOf),
  );

  app.get(
    '/v1/me/level',
    {
      schema: {
        operationId: 'getMyLevel',
        summary: 'My tier',
        description: 'Progress is measured against lifetime figures, not the balance.',
        tags: ['My account'],
        response: { 200: Level },
      },
      config: {
        credential: 'user',
        document: 'contract',
        refusals: {
          404: 'The person has no tier yet, or the commerce uses none; or the commerce does not exist.',
        },
      },
    },
    async (request) => {
      const level = levelOf(await readAccount(source, request.commerceId, request.userId));
      if (level === null) throw new NotFound('no level yet');
      return level;
    },
  );

  app.get(
    '/v1/me/rewards',
    {
      schema: {
        operationId: 'listAutomaticRewards',
        summary: 'The automatic rewards of the program',
        description: 'What the commerce configured, not what the person received.',
        tags: ['My account'],
        response: { 200: Type.Array(AutomaticReward) },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => {
      const { commerce } = await readAccount(source, request.commerceId, request.userId);
      const { welcome, birthday, monthlyTop } = commerce.rules.rewards;
      const configured = [
        { event: 'welcome' as const, reward: welcome },
        { event: 'birthday' as const, reward: birthday },
        { event: 'monthly_top' as const, reward: monthlyTop },
      ];
      const shown = [];
      for (const { event, reward } of configured) {
        if (reward === null) continue;
        const benefit = 'points' in reward ? undefined : await readBenefit(db, commerce.id, reward.benefitId);
        if ('points' in reward) shown.push(automaticRewardOf(event, reward));
        else if (benefit !== undefined) shown.push(automaticRewardOf(event, { benefit }));
      }
      return shown;
    },
  );
}

/** Only the commerce's clock knows which day is yet to come. */
class NotABirthDate extends InvalidRequest {
  constructor() {
    const msg = 'Value error, a birth date is a day from 1900-01-01 to today';
    super([{ loc: ['body', 'birth_date'], msg, type: 'value_error' }]);
  }
}

function profileEditOf(body: {
  username?: string | null;
  phone?: string | null;
  birth_date?: string | null;
}): ProfileEdit {
  const { birth_date: birthDate, ...rest } = body;
  return { ...rest, ...(birthDate !== undefined && { birthDate }) };
}
