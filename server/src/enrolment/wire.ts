import { Type } from 'typebox';
import { Benefit } from '#benefits/wire.ts';
import { Int64, Nullable } from '#http/schema.ts';

export const JoinResult = Type.Object(
  { message: Type.String(), welcome_benefit: Nullable(Benefit), welcome_points: Nullable(Int64()) },
  { title: 'JoinResult' },
);
