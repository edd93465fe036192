import { findOrganization, renameOrganization } from '@relata/auth';
import { type ConsoleContext, type ConsoleHandlers, notFound, onBehalf } from './console-context.ts';

/** Returns the handlers for the organization as a whole. */
export function organizationHandlers(
  context: ConsoleContext,
): ConsoleHandlers<'getOrganization' | 'updateOrganization'> {
  return {
    getOrganization: async (_input, { caller: { orgId } }) => {
      const found = await findOrganization(context.database.of(orgId), orgId);
      if (!found) throw notFound();
      return { data: found };
    },
    updateOrganization: async ({ body }, { caller, exchange }) => ({
      data: await renameOrganization(...onBehalf(context, caller, exchange), body),
    }),
  };
}
