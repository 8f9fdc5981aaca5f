/**
 * Returns the hash by which PostgreSQL and a cluster divide rows: that of `hashint8`, an integer of 32 bits with a sign. Computed here, because
 * a batch is put together in memory, and asking the database for each commerce would cost a round trip.
 */
export function hashBigint(value: number): number {
  const low = Number(BigInt.asUintN(32, BigInt(value)));
  const high = Number(BigInt.asUintN(32, BigInt(value) >> 32n));
  return hashWord(low ^ (value >= 0 ? high : ~high));
}

/** `hash_bytes_uint32` of PostgreSQL. */
function hashWord(word: number): number {
  let c = (0x9e3779b9 + 4 + 3923095) | 0;
  let b = c;
  let a = (c + word) | 0;
  c = (c ^ b) - turn(b, 14);
  a = (a ^ c) - turn(c, 11);
  b = (b ^ a) - turn(a, 25);
  c = (c ^ b) - turn(b, 16);
  a = (a ^ c) - turn(c, 4);
  b = (b ^ a) - turn(a, 14);
  return ((c ^ b) - turn(b, 24)) | 0;
}

const turn = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
