/**
 * The core of the shop plugins, from its source. It imports the SDK by name as an installed package does, so the name must lead to the source
 * of the SDK here, which is there without a build.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (name, context, next) =>
    next(name, { ...context, conditions: [...context.conditions, '@loyalty/source'] }),
});

export const core = await import('../../../integrations/core/src/index.ts');
export const { checkOutbox } = await import('../../../integrations/core/src/testing.ts');
