import {
  findNotifyChannel,
  type NotifyChannel,
  removeNotifyChannel,
  requestTestMessage,
  setNotifyChannel,
} from '@relata/notify';
import { AppError } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';

const shown = ({ org_id: _org, ...channel }: NotifyChannel) => channel;

export function notifyHandlers(context: ConsoleContext) {
  return {
    getNotifyChannel: async (_input, { caller: { orgId } }) => {
      const channel = await findNotifyChannel(context.database.of(orgId), orgId);
      return { data: channel ? shown(channel) : null };
    },
    setNotifyChannel: async ({ body }, { caller, exchange }) => ({
      data: shown(await setNotifyChannel(...onBehalf(context, caller, exchange), body, requireKeys(context))),
    }),
    testNotifyChannel: async (_input, { caller, exchange }) => ({
      data: shown(await requestTestMessage(...onBehalf(context, caller, exchange))),
    }),
    removeNotifyChannel: async (_input, { caller, exchange }) => {
      await removeNotifyChannel(...onBehalf(context, caller, exchange));
      return { data: {} };
    },
  } satisfies Partial<ConsoleHandlers>;
}

function requireKeys({ notifyKeys }: ConsoleContext) {
  if (notifyKeys) return notifyKeys;
  throw new AppError(
    'conflict',
    'A channel cannot be stored: the console has no NOTIFY_KEYS. Ask an operator to set them.',
  );
}
