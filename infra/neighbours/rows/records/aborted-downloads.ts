import { until } from '@relata/testbed/until';
import { atRate } from '../../flood/load-shapes.ts';
import { countDescriptors } from '../../measure.ts';
import { neighbour } from '../../neighbour.ts';
import { RawConnection } from '../../flood/raw-connection.ts';

const downloadsCount = 300;
const perSecond = 100;
const returnWithinMs = 5_000;
/**
 * Number of additional descriptors that can be open: new connections to the database, and the connections of the
 * healthy client, one for each request in flight.
 */
const slack = downloadsCount / 3;

/** V7: tests that interrupted downloads do not leave their files open. */
export const abortedDownloads = neighbour({
  name: 'V7',
  flood: `${perSecond} interrupted downloads of /docs a second, without a key`,
  probes: ['get'],
  apps: ['records-api'],
  responses: { status: [200] },
  async run({ urls, signal, count }) {
    const url = urls['records-api']!;
    await atRate(signal, perSecond, async () => {
      using reader = new RawConnection({ url, method: 'GET', path: '/docs/search.json' });
      reader.sendHead();
      count(`status ${await reader.statusThenStall()}`);
    });
  },
  hasEffect: ({ figures }) => figures['status 200']! >= downloadsCount,
  verify: async ({ bed, descriptors }) => {
    const { pid } = bed.apps['records-api']!;
    const before = descriptors['records-api']!;
    // Only Linux provides the number.
    if (Number.isNaN(before)) return [];
    const isBack = async () => (await countDescriptors(pid)) <= before + slack;
    const returned = await until('descriptors are closed', isBack, returnWithinMs).catch(() => false);
    return returned ? [] : [`${(await countDescriptors(pid)) - before} descriptors were left open`];
  },
});
