import type { LoadResult } from '@relata/testbed/load';
import { say } from '@relata/testbed/suite-program';
import type { RoundOptions } from '../records/round.ts';
import { insertMergeable, type Mergeable } from './trash.sql.ts';

export const losersCount = 10;
export const linksCount = 1_000;

const path = '/v1/records/contacts/merge';
const warmUpMerges = 5;
/** Upper bound of the duration; the merges end earlier. */
const endsWithinMs = 120_000;

/** Measures merges, one after the other. Each merges ten contacts, which have a thousand links, into an eleventh. */
export async function measureMerges(at: RoundOptions, count: number): Promise<LoadResult> {
  const { bed, tenant, load, url } = at;
  say(`preparing ${count} merges`);
  const all = await insertMergeable(bed.admin, tenant.orgId, {
    merges: warmUpMerges + count,
    losers: losersCount,
    links: linksCount,
  });
  for (const each of all.splice(0, warmUpMerges)) await verifyMerge(at, each);
  say('merges');
  return load.run({
    url,
    headers: { 'X-Api-Key': tenant.key },
    requests: all.map((body) => ({ method: 'POST', path, body })),
    isOnce: true,
    status: 200,
    connections: 1,
    warmUpMs: 0,
    durationMs: endsWithinMs,
  });
}

async function verifyMerge({ tenant, url }: RoundOptions, body: Mergeable): Promise<void> {
  const headers = { 'X-Api-Key': tenant.key, 'Content-Type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  const { meta } = JSON.parse(text) as { meta?: { moved: Record<string, number> } };
  const moved = Object.values(meta?.moved ?? {}).reduce((sum, each) => sum + each, 0);
  if (moved !== linksCount) throw new Error(`A merge was answered wrongly: ${response.status} ${text.slice(0, 500)}`);
}
