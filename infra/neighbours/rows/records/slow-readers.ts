import { aborted, waited } from '../../flood/pace.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';
import { RawConnection } from '../../flood/raw-connection.ts';
import { largePagePath, prepareLargeActivities } from './unread-pages.ts';

const readersCount = 60;
const pauseMs = 1_000;
const againAfterMs = 2_000;
const answeredMin = 5;

/** Readers that read a little at intervals, so that they never count as stalled. */
export const slowReaders = neighbour<void>({
  name: 'slow-readers',
  flood: `${readersCount} clients that read pages of 1 MB at 64 KB a second`,
  probes: ['get', 'page'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 400 },
  prepare: prepareLargeActivities,
  answers: { status: [200, 503] },
  async run(context) {
    await Promise.all(Array.from({ length: readersCount }, () => readSlowly(context)));
  },
  // At least half of the readers have begun to receive, and enough requests were answered.
  hasEffect: ({ figures }) => figures['begun']! >= readersCount / 2 && figures['status 200']! >= answeredMin,
});

async function readSlowly({ urls, flooder, signal, count }: FloodContext<void>): Promise<void> {
  const headers = { 'x-api-key': flooder.keys[0]! };
  while (!signal.aborted) {
    using reader = new RawConnection({ url: urls['records-api']!, method: 'GET', path: largePagePath, headers });
    const { socket } = reader;
    reader.sendHead();
    const status = await Promise.race([reader.statusThenStall(), aborted(signal)]);
    count('begun');
    if (status !== undefined) count(`status ${status}`);
    socket.on('data', () => socket.pause());
    const reading = setInterval(() => socket.resume(), pauseMs);
    if (status === 200) await Promise.race([reader.closed, aborted(signal)]);
    clearInterval(reading);
    await waited(againAfterMs, signal);
  }
}
