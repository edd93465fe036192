import { createKey, revokeKey, rotateKey, updateKey } from '@relata/auth';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';
import { findShownKey, listShownKeys } from './key-list.sql.ts';

export function keyHandlers(context: ConsoleContext) {
  const shown = async (orgId: string, id: string) => (await findShownKey(context.database.of(orgId), orgId, id))!;
  return {
    listKeys: async (_input, { caller: { orgId } }) => ({
      data: await listShownKeys(context.database.of(orgId), orgId),
    }),
    createKey: async ({ body }, { caller, exchange }) => {
      const { expires_at, origins, ...given } = body;
      const made = { ...given, ...(origins && { origins }), ...(expires_at && { expires_at }) };
      const { id, key: secret } = await createKey(...onBehalf(context, caller, exchange), made);
      return { data: { key: await shown(caller.orgId, id), secret } };
    },
    updateKey: async ({ params: { id }, body }, { caller, exchange }) => {
      await updateKey(...onBehalf(context, caller, exchange), { id, ...body });
      return { data: await shown(caller.orgId, id) };
    },
    rotateKey: async ({ params: { id }, body }, { caller, exchange }) => {
      const { overlap_seconds: seconds, expires_at } = body;
      const rotation = { id, overlapMs: seconds * 1_000, ...(expires_at && { expires_at }) };
      const { created } = await rotateKey(...onBehalf(context, caller, exchange), rotation);
      const [key, old] = await Promise.all([shown(caller.orgId, created.id), shown(caller.orgId, id)]);
      return { data: { key, secret: created.key, old } };
    },
    revokeKey: async ({ params: { id } }, { caller, exchange }) => {
      await revokeKey(...onBehalf(context, caller, exchange), id);
      return { data: await shown(caller.orgId, id) };
    },
  } satisfies Partial<ConsoleHandlers>;
}
