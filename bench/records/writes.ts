import type { LoadResult } from '@relata/testbed/load';
import { connections } from './plan.ts';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import { type RecordsContext, roundOf } from './round.ts';
import { createAccount, followEvents, type WriteName, writeWorkloads } from './workloads.ts';

export type WriteFigures = Record<WriteName | 'post', Measured>;

/** Number of connections that send batches. Batches are large, so a few connections keep the service busy. */
const batchConnections = 4;
const cursorsMax = 200;

/** Measures all kinds of writes, plain creates for comparison, and the event feed. */
export async function measureWrites(at: RecordsContext): Promise<WriteFigures> {
  await using relata = await at.bed.startRelata();
  const headers = { 'X-Api-Key': at.tenant.key };
  const feed = followEvents(await cursorsOf(relata.url, headers));
  const all = { post: createAccount(), ...writeWorkloads, feed };
  const named = Object.entries(all).map(([name, workload]) => {
    const count = name === 'feed' ? 1 : name.endsWith('batch') ? batchConnections : connections;
    return [name, roundOf(workload, { ...at, url: relata.url, connections: count })] as const;
  });
  for (const [name, { prepare }] of named) {
    say(name);
    await prepare();
  }
  const runs = Object.fromEntries(named.map(([name, { measure }]) => [name, measure]));
  return await interleaved(at.plan.rounds, runs as Record<keyof WriteFigures, () => Promise<LoadResult>>);
}

/** Returns cursors from the start of the feed, at most 200, each with more than a hundred events after it. */
async function cursorsOf(url: string, headers: Record<string, string>): Promise<string[]> {
  const cursors: string[] = [];
  for (let after = 'start', hasMore = true; hasMore && cursors.length < cursorsMax;) {
    const response = await fetch(`${url}/v1/events?limit=100&after=${after}`, { headers });
    const page = (await response.json()) as { next_cursor: string; has_more: boolean };
    hasMore = page.has_more;
    if (hasMore) cursors.push(after);
    after = page.next_cursor;
  }
  return cursors.slice(0, -1);
}
