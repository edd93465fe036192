import type { LoadRequest, LoadResult } from '@relata/testbed/load';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import { accountIds } from '../records/accounts.sql.ts';
import { connections } from '../records/plan.ts';
import type { RoundOptions } from '../records/round.ts';
import { updateAccount } from '../records/workloads.ts';
import { dropDeleted, insertDoomed } from './trash.sql.ts';

export type DeleteFigures = Record<'patch' | 'remove' | 'batch', Measured>;

export const batchItems = 500;
/** Number of connections that send batches. Batches are large, so a few connections keep the service busy. */
const batchConnections = 4;
/** Number of accounts to prepare per millisecond: more than a round deletes. */
const perMs = { remove: 8, batch: 25 };

const path = '/v1/records/accounts';

/** Measures deletes of accounts without links, and patches of other accounts for comparison, round by round. */
export async function measureDeletes(at: RoundOptions): Promise<DeleteFigures> {
  const { bed, tenant, load, plan, url } = at;
  const patches = updateAccount(await accountIds(bed.admin, tenant.orgId));
  const size = { url, headers: { 'X-Api-Key': tenant.key }, status: 200 };
  const measured = { ...size, warmUpMs: plan.warmUpMs, durationMs: plan.durationMs };
  const removing = async (kind: keyof typeof perMs, count: number): Promise<LoadResult> => {
    say(kind === 'batch' ? `batches of ${batchItems} deletes` : 'DELETE');
    const ids = await insertDoomed(bed.admin, tenant.orgId, perMs[kind] * (plan.warmUpMs + plan.durationMs));
    const requests =
      kind === 'batch' ? batchesOf(ids) : ids.map((id) => ({ method: 'DELETE' as const, path: `${path}/${id}` }));
    const result = await load.run({ ...measured, requests, isOnce: true, connections: count });
    await dropDeleted(bed.admin);
    return result;
  };
  await verifyBatch(at);
  await load.run({ ...size, requests: patches.requests, connections, warmUpMs: plan.firstWarmUpMs, durationMs: 0 });
  return interleaved(plan.rounds, {
    patch: () => {
      say('PATCH');
      return load.run({ ...measured, requests: patches.requests, connections });
    },
    remove: () => removing('remove', connections),
    batch: () => removing('batch', batchConnections),
  });
}

function batchesOf(ids: readonly string[]): LoadRequest[] {
  return Array.from({ length: ids.length / batchItems }, (_, i) => {
    const items = ids.slice(i * batchItems, (i + 1) * batchItems).map((id) => ({ id }));
    return { method: 'POST', path: `${path}/batch`, body: { operation: 'delete', items } };
  });
}

/** Checks the whole answer to a batch. The load process checks only the status, which is 200 even if items fail. */
async function verifyBatch({ bed, tenant, url }: RoundOptions): Promise<void> {
  const [batch] = batchesOf(await insertDoomed(bed.admin, tenant.orgId, batchItems));
  const headers = { 'X-Api-Key': tenant.key, 'Content-Type': 'application/json' };
  const response = await fetch(url + batch!.path, { method: 'POST', headers, body: JSON.stringify(batch!.body) });
  const text = await response.text();
  if ((JSON.parse(text) as { succeeded?: number }).succeeded !== batchItems)
    throw new Error(`A batch of deletes was answered wrongly: ${text.slice(0, 500)}`);
  await dropDeleted(bed.admin);
}
