import { acceptsStream } from '@relata/http';
import type { ChangeStreams } from '../live/change-streams.ts';
import type { LiveOrganizations } from '../live/live-organizations.ts';
import type { ConsoleHandlers } from './console-context.ts';

export function changeHandlers(live: LiveOrganizations, streams: ChangeStreams) {
  return {
    readChanges: async (_input, context) => {
      if (acceptsStream(context.exchange.response.req.headers.accept)) return streams.open(context);
      return { data: await live.marksOf(context.caller.orgId) };
    },
  } satisfies Partial<ConsoleHandlers>;
}
