/** The outbox in Vendure's database passes the tests of the core, on PostgreSQL and on SQLite. */
import { after, describe } from 'node:test';
import { checkOutbox } from '@loyalty/shop-core/testing';
import { Client } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { startScratchServer } from '../../../server/test/postgres.ts';
import { LoyaltyMark, LoyaltyOutboxRow } from '../dist/entities.js';
import { vendureOutbox } from '../dist/vendure-outbox.js';

const server = await startScratchServer();
after(() => server.stop());
const common = { synchronize: true, entities: [LoyaltyOutboxRow, LoyaltyMark] };

describe('on PostgreSQL', () => {
  checkOutbox(async () => {
    const name = `outbox_${Math.random().toString(36).slice(2)}`;
    const client = new Client(server.adminUrl);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = Object.assign(new URL(server.adminUrl), { pathname: `/${name}` }).href;
    return outboxOn({ ...common, type: 'postgres', url });
  });
});

describe('on SQLite', () => {
  checkOutbox(() => outboxOn({ ...common, type: 'sqljs' }));
});

async function outboxOn(options: DataSourceOptions) {
  const source = await new DataSource(options).initialize();
  after(() => source.destroy());
  const getRepository = (_context: unknown, entity: typeof LoyaltyOutboxRow) => source.getRepository(entity);
  return vendureOutbox({ rawConnection: source, getRepository } as never);
}
