import { Type } from 'typebox';
import { readCommerce } from '#commerces/commerce.ts';
import { Int64 } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import { storePicture } from '#pictures/uploaded-pictures.ts';
import { LARGE_PIXELS, LONGEST_SIDE, MOST_PIXELS, SMALL_PIXELS } from '#pictures/write-anew.ts';
import { smallPicture, uploadedPicture } from '#program/service-pictures.ts';
import type { AdminRoutes } from '../admin-routes.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const MOST_CHARACTERS = Math.ceil(MOST_BYTES / 3) * 4;
/** With the JSON around it. No route takes a larger body: `examples/nginx.conf` allows a little more. */
export const BODY_BYTES = MOST_CHARACTERS + 1_000;

export const UploadedPictureSchema = Type.Object(
  {
    picture: Type.String({
      description: 'What the program says in `logo`, `cover`, `image` or `icon_url`.',
      examples: ['/pictures/cafe-luna/3q2-7wAAAAAAAAAAAAAAAA.webp'],
    }),
    url: Type.String({ description: 'Where anyone can load it, now and for ever.' }),
    small_url: Type.String({
      description: `The same with at most ${SMALL_PIXELS} pixels on the longer side.`,
    }),
    width: Int64({ description: 'Of the large one, in pixels.', examples: [LARGE_PIXELS] }),
    height: Int64({ examples: [800] }),
  },
  { title: 'UploadedPicture' },
);

/** The owner uploads pictures for the program. */
export function pictureUploadRoutes({ adminAct }: AdminRoutes) {
  return {
    uploadPicture: adminAct({
      role: 'owner',
      large: {
        bytes: BODY_BYTES,
        work: (aside, { commerceId, body }) => aside.writeAnew(commerceId, Buffer.from(body.data, 'base64')),
      },
      schema: {
        operationId: 'uploadPicture',
        summary: 'Upload a picture for the program',
        description: `A PNG, JPEG or WebP of at most 5 MB, ${MOST_PIXELS / 1_000_000} million pixels and ${LONGEST_SIDE.toLocaleString('en')} on each side. It is decoded and written anew, upright and without what else the file says, with at most ${LARGE_PIXELS} and ${SMALL_PIXELS} pixels on the longer side. Uploading the same picture again changes nothing. A picture that no version of the program names may be deleted after a day.`,
        tags: ['Program'],
        body: Type.Object({
          data: Type.String({
            maxLength: MOST_CHARACTERS,
            pattern: '^[A-Za-z0-9+/]+={0,2}$',
            description: 'The bytes of the file as Base64, without line breaks.',
          }),
        }),
        response: { 201: UploadedPictureSchema },
      },
      refusals: {
        400: 'The file is no picture that can be used.',
        409: 'The shop has as many pictures as it may have.',
      },
      turn: { write: () => 'pictures' },
      act: async (tx, { commerceId, serviceUrl }, _reply, written) => {
        const { hash, width, height } = written;
        const { slug } = (await readCommerce(tx, commerceId))!;
        const picture = uploadedPicture(slug, hash);
        const isNew = await storePicture(tx, commerceId, written);
        return {
          answer: {
            picture,
            url: pictureUrl(picture, serviceUrl)!,
            small_url: pictureUrl(smallPicture(picture), serviceUrl)!,
            width,
            height,
          },
          entry: isNew ? { action: 'picture.upload', subject: picture } : null,
        };
      },
    }),
  };
}
