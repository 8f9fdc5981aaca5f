import { startService } from '../../bench/child.ts';
import { defineAttack, expectStatus } from './harness/attack.ts';
import { at, bearer, type Call } from './harness/caller.ts';
import { enrolMember } from './harness/stage.ts';
import { networkOfPerson } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';

export const tokensAcrossShops = defineAttack({
  name: 'tokens-across-shops',
  sentence:
    'reads, buys and leaves at another shop with a token from its own page, where SESSION_SCOPE=commerce',
  async check({ env, mails, attacked, others }) {
    const service = await startService({ ...env, SESSION_SCOPE: 'commerce' });
    try {
      return await withCaller(service.port, async (caller) => {
        const person = { email: 'crosses@example.com', from: networkOfPerson(12_000) };
        const { access, refresh } = await enrolMember(caller, mails, attacked, person);
        const send = (call: Call) => caller.call(person.from, call);
        const [here, there] = [bearer(access, attacked.commerceId), bearer(access, others.commerceId)];
        const renew = (commerceId: number) =>
          send({ method: 'POST', path: '/v1/auth/refresh', headers: at(commerceId), body: { refresh } });
        const refused = (promise: string, call: Call) =>
          send(call).then((reply) => expectStatus(promise, reply, [401]));
        const exchange = {
          method: 'POST',
          path: '/v1/me/benefits/exchange',
          headers: { ...there, 'idempotency-key': 'across' },
          body: { benefit_id: 'gift' },
        } as const;
        return [
          await refused('the token does not read at another shop', { path: '/v1/me', headers: there }),
          await refused('the token does not buy at another shop', exchange),
          await refused('the token does not leave another shop', {
            method: 'DELETE',
            path: '/v1/me/subscription',
            headers: there,
          }),
          expectStatus('the session is not refreshed at another shop', await renew(others.commerceId), [401]),
          expectStatus('the session goes on at its own shop', await renew(attacked.commerceId), [200]),
          expectStatus(
            'the token still reads at its own shop',
            await send({ path: '/v1/me', headers: here }),
            [200],
          ),
          expectStatus(
            'a shop that does not exist is a 404',
            await send({ path: '/v1/me', headers: bearer(access, 999_999_999) }),
            [404],
          ),
        ];
      });
    } finally {
      await service.stop();
    }
  },
});
