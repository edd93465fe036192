import { findOrganization, renameOrganization } from '@relata/auth';
import { orNotFound } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';

export function organizationHandlers(context: ConsoleContext) {
  return {
    getOrganization: async (_input, { caller: { orgId } }) => ({
      data: orNotFound(await findOrganization(context.database.of(orgId), orgId)),
    }),
    updateOrganization: async ({ body }, { caller, exchange }) => ({
      data: await renameOrganization(...onBehalf(context, caller, exchange), body),
    }),
  } satisfies Partial<ConsoleHandlers>;
}
