import { sql, type Db } from '#db/database.ts';
import { findMissingPictures } from '#pictures/uploaded-pictures.ts';
import type { Program } from '#program/program.ts';
import { readUploadedPicture } from '#program/service-pictures.ts';

/** Says which uploaded pictures the program names and the service does not have: those of another installation, or deleted. */
export async function missingPictures(db: Db, program: Program): Promise<string[]> {
  const { logo, cover, levels, benefits } = program;
  const named = [
    { field: 'logo', address: logo },
    { field: 'cover', address: cover },
    ...levels.ladder.map((tier) => ({ field: `icon_url of ${tier.name}`, address: tier.icon_url })),
    ...benefits.map(({ id, image }) => ({ field: `image of ${id}`, address: image })),
  ].flatMap(({ field, address }) => {
    const uploaded = address === null ? null : readUploadedPicture(address);
    return uploaded === null ? [] : [{ field, address, ...uploaded }];
  });
  const missing = await findMissingPictures(db, named);
  return missing.map(
    ({ field, address }) => `${field}: ${address} is not stored here; upload the picture again`,
  );
}

/** Says what a new currency or time zone means for the purchases that were recorded before. */
export async function cautionsOf(
  db: Db,
  commerceId: number,
  before: Program,
  after: Program,
): Promise<string[]> {
  const isOtherCurrency = before.currency !== after.currency;
  const isOtherZone = before.time_zone !== after.time_zone;
  if (!isOtherCurrency && !isOtherZone) return [];
  if (!(await hasPurchases(db, commerceId))) return [];
  const currency = `currency: the purchases so far were recorded in ${before.currency}. Their amounts are not converted: they count as so many ${after.currency}, in lifetime amounts and tiers too`;
  const zone = `time_zone: the purchases so far were recorded by the days of ${before.time_zone}. Days begin in ${after.time_zone} from now on, for months and birthdays too, and no points expire sooner`;
  return [...(isOtherCurrency ? [currency] : []), ...(isOtherZone ? [zone] : [])];
}

/** Stops at the first one: a draft is checked again and again while somebody types. */
async function hasPurchases(db: Db, commerceId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists(select from movements where commerce_id = ${commerceId} and type = 'purchase') as found`.execute(
    db,
  );
  return rows[0]!.found;
}
