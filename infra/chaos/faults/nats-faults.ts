import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { TestBed } from '../test-bed/test-bed.ts';
import { until } from '@relata/testbed/until';

async function loseAll(bed: TestBed, isErased: boolean): Promise<void> {
  const { nats, timeline, random } = bed;
  await Promise.all(nats.nodes.map((node) => node.kill()));
  if (isErased) await Promise.all(nats.nodes.map((node) => node.erase()));
  await timeline.note(timeline.natsAway, 'away', () => pause(random.between(1_500, 3_000)));
  await nats.startAll();
  await areConnected(bed);
}

/** Kills the leader in half of the cases, otherwise a random server, and starts it again. */
async function loseOne(bed: TestBed, isErased: boolean): Promise<void> {
  const { nats, random } = bed;
  const leader = random.has(0.5) ? await nats.agreed() : undefined;
  const node = nats.nodes.find(({ name }) => name === leader) ?? random.pick(nats.nodes);
  await node.kill();
  if (isErased) await node.erase();
  await pause(random.between(500, 3_000));
  await nats.startAll();
  await areConnected(bed);
}

async function areConnected({ apps }: TestBed): Promise<void> {
  await until('the apps are connected to NATS', async () => {
    const figures = await Promise.all(apps.map((slot) => slot.metrics()));
    return figures.every((figure) =>
      [...figure].some(([name, value]) => name.startsWith('nats_connected') && value === 1),
    );
  });
}

export const natsFaults: readonly Fault[] = [
  { name: 'nats-kill', on: 'nats', inject: (bed) => loseAll(bed, false) },
  { name: 'nats-store-deleted', on: 'nats', inject: (bed) => loseAll(bed, true) },
  { name: 'nats-node-kill', on: 'nats', needsCluster: true, inject: (bed) => loseOne(bed, false) },
  { name: 'nats-node-store-deleted', on: 'nats', needsCluster: true, inject: (bed) => loseOne(bed, true) },
  {
    name: 'nats-connections-cut',
    on: 'nats',
    async inject(bed) {
      for (const { toNats } of bed.apps) for (const proxy of toNats) proxy.cut();
      await areConnected(bed);
    },
  },
  {
    name: 'nats-silence',
    on: 'nats',
    async inject(bed) {
      const proxies = bed.apps.flatMap(({ toNats }) => toNats);
      for (const proxy of proxies) proxy.silence();
      await pause(bed.random.between(1_000, 3_000));
      for (const proxy of proxies) proxy.resume();
      await areConnected(bed);
    },
  },
];
