/** The plugin's own tables in the shop's database. */
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const milliseconds = {
  to: (value: number) => value,
  from: (value: string | number) => Number(value),
};

/** An order that changed since the service was last told. `Outbox` of the core says what each column means. */
@Entity('loyalty_outbox')
export class LoyaltyOutboxRow {
  @PrimaryColumn('varchar', { length: 64 })
  orderId!: string;

  @Column('bigint', { transformer: milliseconds })
  version!: number;

  @Column('bigint', { transformer: milliseconds })
  notedAt!: number;

  /** Null once it was given up. */
  @Index()
  @Column('bigint', {
    nullable: true,
    transformer: {
      to: (value: number | null) => value,
      from: (value: string | number | null) => (value === null ? null : Number(value)),
    },
  })
  dueAt!: number | null;

  @Column('int', { default: 0 })
  attempts!: number;

  @Column('text', { nullable: true })
  error!: string | null;
}

/** Single values: how far the sweep has come, and which promotion is the plugin's own. */
@Entity('loyalty_mark')
export class LoyaltyMark {
  @PrimaryColumn('varchar', { length: 64 })
  name!: string;

  @Column('varchar', { length: 64 })
  value!: string;
}
