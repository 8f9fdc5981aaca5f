/** A process of `survivors.test.ts`: makes many calls of one kind, and says when those begin that count. */
import { Agent, get } from 'node:http';
import { openDatabase } from '../../src/platform/db/database.ts';
import { HeldRows } from '../../src/platform/batching/held-rows.ts';
import { Queues } from '../../src/platform/batching/queues.ts';
import { limitCallTime } from '../../src/platform/http/call-time.ts';
import { createServer } from '../../src/platform/http/server.ts';

const CALLS = 3_000;
const AT_A_TIME = 16;

const kinds: Record<string, () => Promise<() => Promise<unknown>>> = {
  async statements() {
    const url = process.env['TEST_DATABASE_SERVER']!;
    const database = openDatabase({ url, poolSize: 10, preparedStatements: true });
    const text = "-- some-rows\nselect g as id, 'some text ' || g as text from generate_series(1, 20) as g";
    return () => database.query(text, []);
  },

  async answers() {
    const nobody = () => null;
    const lookups = {
      key: nobody,
      user: async () => null,
      commerce: nobody,
      staffSession: nobody,
      staffKey: nobody,
    };
    const app = await createServer({ log: false, lookups });
    limitCallTime(app, 60_000);
    const options = { schema: { hide: true }, config: { credential: 'none' as const } };
    app.get('/', options, async () => {
      await new Promise(setImmediate);
      return { payload: 'x'.repeat(200) };
    });
    const { port } = new URL(await app.listen({ port: 0 }));
    const agent = new Agent({ keepAlive: true });
    return () =>
      new Promise((resolve, reject) => {
        get({ port, agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
      });
  },

  async batches() {
    interface Call {
      commerceId: number;
      since: number;
      rows: string[];
      names: string[];
      payload: number[];
    }
    const queues = new Queues<Call>();
    const held = new HeldRows();
    let last = 0;
    return async () => {
      const payload = Array.from({ length: 200 }, () => last);
      queues.add({ commerceId: last++ % 50, since: 0, rows: [], names: [], payload });
      await new Promise(setImmediate);
      if (last % AT_A_TIME === 0) while (queues.take(512, held).length > 0);
    };
  },
};

const call = await kinds[process.argv[2]!]!();
await callers(CALLS / 10);
// What is there now is old from here on, also what belongs to calls that are under way.
const calling = callers(10 * AT_A_TIME);
globalThis.gc!();
globalThis.gc!();
await calling;
console.log('BEGIN');
await callers(CALLS);
console.log('END');
process.exit();

function callers(calls: number): Promise<unknown> {
  const caller = async () => {
    for (let made = 0; made < calls / AT_A_TIME; made++) await call();
  };
  return Promise.all(Array.from({ length: AT_A_TIME }, caller));
}
