import { sql, type DatabaseAddress, type Db } from '#db/database.ts';
import { inCopyTransaction } from './copy-connection.ts';
import { readSchema } from './read-schema.ts';

/** The figures of a commerce that an operator compares. */
export interface Figures {
  readonly members: number;
  readonly movements: number;
  /** The sum of all balances. */
  readonly points: number;
  readonly points_earned: number;
  readonly amount_spent: number;
  readonly purchases: number;
  readonly vouchers: number;
  readonly vouchers_used: number;
}

/** A table in both databases: its rows, and a checksum over all values of all of them, in any order. */
export interface ComparedTable {
  readonly table: string;
  readonly before: Content;
  readonly after: Content;
  readonly isSame: boolean;
}

interface Content {
  readonly rows: number;
  readonly checksum: string;
}

export interface Compared {
  readonly tables: readonly ComparedTable[];
  readonly commerces: readonly {
    readonly slug: string;
    readonly before: Figures;
    readonly after: Figures | null;
  }[];
}

/**
 * Compares all rows of two databases, each of which computes its own checksums, so that no row travels. Each is read in one
 * snapshot. `onTable` is called for each table before it is read.
 */
export async function compareDatabases(
  before: DatabaseAddress,
  after: DatabaseAddress,
  onTable: (table: string, place: number, of: number) => void = () => {},
): Promise<Compared> {
  return inSnapshotOf(before, (one) =>
    inSnapshotOf(after, async (other) => {
      const { tables } = await readSchema(one);
      const compared: ComparedTable[] = [];
      for (const [place, { name, columns }] of tables.entries()) {
        onTable(name, place, tables.length);
        const [left, right] = await Promise.all([
          readContent(one, name, columns),
          readContent(other, name, columns),
        ]);
        const isSame = left.rows === right.rows && left.checksum === right.checksum;
        compared.push({ table: name, before: left, after: right, isSame });
      }
      const [left, right] = await Promise.all([readFigures(one), readFigures(other)]);
      return {
        tables: compared,
        commerces: left.map(([slug, figures]) => ({
          slug,
          before: figures,
          after: right.find((found) => found[0] === slug)?.[1] ?? null,
        })),
      };
    }),
  );
}

function inSnapshotOf<T>(address: DatabaseAddress, work: (db: Db) => Promise<T>): Promise<T> {
  return inCopyTransaction(address, 'repeatable read, read only', work);
}

async function readContent(db: Db, table: string, columns: readonly string[]): Promise<Content> {
  const { rows } = await sql<Content>`
    select count(*)::float8 as rows, coalesce(sum(hashtextextended(r::text, 0)::numeric), 0)::text as checksum
      from (select ${sql.join(columns.map(sql.id))} from ${sql.id(table)}) as r`.execute(db);
  return rows[0]!;
}

async function readFigures(db: Db): Promise<[string, Figures][]> {
  const { rows } = await sql<Figures & { slug: string }>`
    select c.slug, m.members, l.movements, b.points, m.points_earned, m.amount_spent, m.purchases, v.vouchers, v.vouchers_used
      from commerces c
     cross join lateral (select count(*)::float8 as members, coalesce(sum(points_earned), 0)::float8 as points_earned,
                                coalesce(sum(amount_spent), 0)::float8 as amount_spent, coalesce(sum(purchases), 0)::float8 as purchases
                           from members where commerce_id = c.id) as m
     cross join lateral (select count(*)::float8 as movements from movements where commerce_id = c.id) as l
     cross join lateral (select coalesce(sum(points), 0)::float8 as points from balances where commerce_id = c.id) as b
     cross join lateral (select count(*)::float8 as vouchers, count(used_at)::float8 as vouchers_used
                           from vouchers where commerce_id = c.id) as v
     order by c.id`.execute(db);
  return rows.map(({ slug, ...figures }) => [slug, figures]);
}
