import { Migration } from '@medusajs/framework/mikro-orm/migrations';
import { POSTGRES_OUTBOX_TABLES } from '@loyalty/shop-core';

/**
 * The tables of the plugin: orders that the service has not been told of, how far changes were swept, the codes of carts, and which accounts
 * have proved their address. They are small, and hold no states of orders.
 */
export class Migration20261127060000 extends Migration {
  override async up(): Promise<void> {
    for (const statement of POSTGRES_OUTBOX_TABLES) this.addSql(statement);
    this.addSql(`
      create table if not exists loyalty_cart_code (
        code text primary key,
        cart_id text not null,
        title text not null,
        added_at timestamptz not null default now()
      )`);
    this.addSql(`create index if not exists loyalty_cart_code_cart on loyalty_cart_code (cart_id)`);
    this.addSql(`
      create table if not exists loyalty_proved_customer (
        customer_id text primary key,
        email text not null,
        proved_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table if not exists loyalty_webhook (
        webhook_id text primary key,
        received_at timestamptz not null default now()
      )`);
  }

  override async down(): Promise<void> {
    for (const table of [
      'loyalty_outbox',
      'loyalty_sweep',
      'loyalty_cart_code',
      'loyalty_proved_customer',
      'loyalty_webhook',
    ])
      this.addSql(`drop table if exists ${table}`);
  }
}
