import { Type } from 'typebox';
import { BenefitSchema } from '#benefits/wire.ts';
import { Int64, Nullable } from '#http/schema.ts';

export const JoinResultSchema = Type.Object(
  {
    message: Type.String({ examples: ['joined the program'] }),
    welcome_benefit: Nullable(BenefitSchema),
    welcome_points: Nullable(
      Int64({ description: 'The points given for joining. Null if none were given now.', examples: [50] }),
    ),
  },
  { title: 'JoinResult' },
);
