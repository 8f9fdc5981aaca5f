import { Migration } from '@medusajs/framework/mikro-orm/migrations';
import { POSTGRES_INSTALLED_TABLE } from '@loyalty/shop-core';

/** Keeps when the plugin was installed, in one row: the mark of the sweep, which began there, goes on. */
export class Migration20261129200000 extends Migration {
  override async up(): Promise<void> {
    for (const statement of POSTGRES_INSTALLED_TABLE) this.addSql(statement);
  }

  override async down(): Promise<void> {
    this.addSql(`drop table if exists loyalty_installed`);
  }
}
