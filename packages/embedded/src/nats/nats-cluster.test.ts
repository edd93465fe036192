import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NatsCluster } from './nats-cluster.ts';

// Folder of `npm start`, so that a machine without a server fetches it once.
const binDir = join(import.meta.dirname, '../../../../.local/bin');
let folder: string;
let cluster: NatsCluster;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-nats-'));
  cluster = await NatsCluster.start({ folder, binDir });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const nodeNamed = (name: string) => cluster.nodes.find((node) => node.name === name)!;

test('three NATS servers agree on a leader', async () => {
  const leaders = await Promise.all(cluster.nodes.map((node) => node.leader()));
  expect(new Set(leaders)).toEqual(new Set([await cluster.agreed()]));
  expect(cluster.url.split(',')).toHaveLength(3);
});

test('no NATS server keeps a stream before one is created', async () => {
  expect(await Promise.all(cluster.nodes.map((node) => node.streamCopies()))).toEqual([
    new Map(),
    new Map(),
    new Map(),
  ]);
});

test('two NATS servers continue when the leader is killed, and the leader rejoins at its address', async () => {
  const killed = nodeNamed(await cluster.agreed());
  await killed.kill();
  const successor = await cluster.agreed();
  expect(successor).not.toBe(killed.name);
  await killed.start();
  expect(await cluster.agreed()).toBe(await killed.leader());
});

test('a NATS server whose store was deleted rejoins, and the store of a running one is not deleted', async () => {
  const [node] = cluster.nodes;
  await expect(node!.erase()).rejects.toThrow('nats-1 is running.');
  await node!.kill();
  await node!.erase();
  expect(existsSync(node!.storeDir)).toBe(false);
  await node!.start();
  expect(await cluster.agreed()).toBeDefined();
});

test('a cluster of one is a single NATS server', async () => {
  await using single = await NatsCluster.start({ folder: join(folder, 'single'), binDir, size: 1 });
  expect(single.nodes).toMatchObject([{ name: 'nats-1', isRunning: true, monitorUrl: undefined }]);
});
