import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { defineAttack } from './harness/attack.ts';
import { bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 4, perSecond: 8 };

interface Pictures {
  readonly keys: { readonly attacked: string; readonly others: string };
  /** As Base64. */
  readonly pictures: readonly string[];
}

export const slowPictures = defineAttack<Pictures>({
  name: 'slow-pictures',
  sentence: 'uploads small files with 50 million pixels, in one column and in a square, one after the other',
  async prepare({ attacked, others, openOwnerKey }) {
    const keys = { attacked: await openOwnerKey(attacked), others: await openOwnerKey(others) };
    const pictures = [column(50_000_000), await plain(7_000, 7_000), await plain(12_000, 4_000)];
    return { keys, pictures };
  },
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, isOver, prepared: { keys, pictures } }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) =>
          caller.call(ATTACKER, upload(keys.attacked, pictures[n % pictures.length]!)),
        ),
      ),
  },
  during: async ({ port }, { keys }) =>
    withCaller(port, async (caller) => {
      const { status } = await caller.call(ATTACKER, upload(keys.others, await plain(400, 300)));
      return [
        {
          promise: 'another shop uploads a picture meanwhile',
          holds: status === 201,
          seen: `status ${status}`,
        },
      ];
    }),
  check: ({ port }, { keys, pictures }) =>
    withCaller(port, async (caller) => {
      const { status, text } = await caller.call(ATTACKER, upload(keys.others, pictures[0]!));
      return [
        {
          promise: 'one column of 50 million pixels is refused unread',
          holds: status === 400 && text.includes('1 × 50000000 pixels'),
          seen: `status ${status}`,
        },
      ];
    }),
});

async function plain(width: number, height: number): Promise<string> {
  const picture = sharp({
    create: { width, height, channels: 3, background: '#7a3e9d' },
    limitInputPixels: false,
  });
  return (await picture.png({ compressionLevel: 9, progressive: true }).toBuffer()).toString('base64');
}

/** A picture of one gray column, as PNG: 97 KB, and each row has to be read by itself. */
function column(height: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  // Each row is the number of its filter and one pixel.
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(2 * height))),
    chunk('IEND', Buffer.of()),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function upload(key: string, data: string): Call {
  return { method: 'POST', path: '/admin/v1/pictures', headers: bearer(key), body: { data } };
}
