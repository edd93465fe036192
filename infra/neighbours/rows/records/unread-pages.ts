import { statement } from '@relata/db';
import { aborted, waited } from '../../flood/load-shapes.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';
import { RawConnection } from '../../flood/raw-connection.ts';
import type { ServiceBed } from '@relata/testbed/service-bed';

const readersCount = 40;
const answeredMin = 5;

/** Longer than the 30 s after which a reader that reads nothing is disconnected. */
const stallMs = 40_000;

const insertLargeActivities = statement<never>(
  'neighbours.large_activities',
  `INSERT INTO custom_activities (org_id, id, content, source)
   SELECT $1::uuid, uuidv7(), repeat('€', 100000), 'flood' FROM generate_series(1, 100)`,
);

/** Creates 100 activities of 300 KB each. A page of them ends once it exceeds 1 MB. */
export async function prepareLargeActivities({ database }: ServiceBed, { orgId }: { orgId: string }): Promise<void> {
  await database.query(insertLargeActivities, [orgId]);
}

/** Requests pages again and again. After a response with 200 has begun, `keepOpen` decides how it is read. */
export async function askForPages(
  { urls, flooder, signal, count }: FloodContext<void>,
  { begun, againAfterMs, keepOpen }: { begun: string; againAfterMs: number; keepOpen: (at: RawConnection) => unknown },
): Promise<void> {
  const url = urls['records-api']!;
  const headers = { 'x-api-key': flooder.keys[0]! };
  while (!signal.aborted) {
    using reader = new RawConnection({ url, method: 'GET', path: '/v1/activities/custom?limit=100', headers });
    reader.sendHead();
    const status = await Promise.race([reader.statusThenStall(), aborted(signal)]);
    count(begun);
    if (status !== undefined) count(`status ${status}`);
    if (status === 200) await keepOpen(reader);
    await waited(againAfterMs, signal);
  }
}

export const unreadPages = neighbour<void>({
  name: 'V6',
  flood: `${readersCount} requests for pages of 1 MB (activities of 300 KB) whose responses are never read`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 400 },
  lastsMs: stallMs + 5_000,
  prepare: prepareLargeActivities,
  responses: { status: [200, 503] },
  async run(context) {
    const reading = { begun: 'stalled', againAfterMs: 3_000, keepOpen: () => waited(stallMs, context.signal) };
    await Promise.all(Array.from({ length: readersCount }, () => askForPages(context, reading)));
  },
  hasEffect: ({ figures }) => figures['stalled']! >= readersCount / 2 && figures['status 200']! >= answeredMin,
});
