import { aborted } from '../../flood/load-shapes.ts';
import { neighbour } from '../../neighbour.ts';
import type { RawConnection } from '../../flood/raw-connection.ts';
import { askForPages, prepareLargeActivities } from './unread-pages.ts';

const readersCount = 60;
const pauseMs = 1_000;
const answeredMin = 5;

/** Readers that read a little at intervals, so that they never count as stalled. */
export const slowReaders = neighbour<void>({
  name: 'slow-readers',
  flood: `${readersCount} clients that read pages of 1 MB at 64 KB a second`,
  probes: ['get', 'page'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 400 },
  prepare: prepareLargeActivities,
  responses: { status: [200, 503] },
  async run(context) {
    const keepOpen = (reader: RawConnection) => readSlowly(reader, context.signal);
    const reading = { begun: 'begun', againAfterMs: 2_000, keepOpen };
    await Promise.all(Array.from({ length: readersCount }, () => askForPages(context, reading)));
  },
  // At least half of the readers have begun to receive, and enough requests were answered.
  hasEffect: ({ figures }) => figures['begun']! >= readersCount / 2 && figures['status 200']! >= answeredMin,
});

async function readSlowly({ socket, closed }: RawConnection, signal: AbortSignal): Promise<void> {
  socket.on('data', () => socket.pause());
  const reading = setInterval(() => socket.resume(), pauseMs);
  await Promise.race([closed, aborted(signal)]);
  clearInterval(reading);
}
