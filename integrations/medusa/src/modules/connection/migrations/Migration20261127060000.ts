import { Migration } from '@medusajs/framework/mikro-orm/migrations';

/**
 * The tables of the plugin: orders that the service has not been told of, how far changes were swept, the codes of carts, and which accounts
 * have proved their address. They are small, and hold no states of orders.
 */
export class Migration20261127060000 extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table if not exists loyalty_outbox (
        order_id text primary key,
        version bigint not null,
        noted_at timestamptz not null,
        due_at timestamptz,
        attempts integer not null default 0,
        error text
      )`);
    this.addSql(`create index if not exists loyalty_outbox_due on loyalty_outbox (due_at)`);
    this.addSql(`
      create table if not exists loyalty_sweep (
        only_row boolean primary key default true check (only_row),
        swept_until timestamptz not null
      )`);
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
