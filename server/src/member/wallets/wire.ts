import { Type, type Static } from 'typebox';
import { Nullable } from '#http/schema.ts';

export const CardWalletsSchema = Type.Object(
  {
    google: Nullable(
      Type.String({ description: 'Opens Google Wallet with the card. Valid for five minutes.' }),
    ),
    apple: Nullable(
      Type.String({ description: 'The card as a signed package for Apple Wallet. Valid for five minutes.' }),
    ),
  },
  { title: 'CardWallets' },
);

export type CardWallets = Static<typeof CardWalletsSchema>;
