import { Type } from 'typebox';
import { BenefitSchema } from '#benefits/wire.ts';
import { Int64, Nullable } from '#http/schema.ts';

export const JoinResultSchema = Type.Object(
  { message: Type.String(), welcome_benefit: Nullable(BenefitSchema), welcome_points: Nullable(Int64()) },
  { title: 'JoinResult' },
);
