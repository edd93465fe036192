import { MemoryWatch } from '@relata/testbed/memory';
import { accountIds, copyToFloor, insertAccounts } from './accounts.sql.ts';
import { type RecordsContext, roundOf } from './round.ts';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import type { TestBed, TestOrganization } from './test-bed.ts';
import {
  createAccount,
  getAccount,
  listAccounts,
  listDifferentAccounts,
  mixedLoad,
  updateAccount,
  type Workload,
} from './workloads.ts';

export const accountCount = 10_000;
const otherOrganizations = 10;
const otherAccounts = 1_000;

export interface Comparison {
  workload: Pick<Workload, 'name' | 'title'>;
  floor: Measured;
  relata: Measured;
}

/** Creates an organization with its accounts, and ten others whose rows are mixed with its own, as in production. */
export async function loadTenant({ admin, createTestOrganization }: TestBed): Promise<TestOrganization> {
  const tenant = await createTestOrganization('Bench');
  const orgIds = [tenant.orgId];
  for (let i = 1; i <= otherOrganizations; i++) orgIds.push((await createTestOrganization(`Other ${i}`)).orgId);
  await insertAccounts(admin, orgIds, { from: 1, to: otherAccounts });
  await insertAccounts(admin, [tenant.orgId], { from: otherAccounts + 1, to: accountCount });
  await copyToFloor(admin);
  await admin.query('VACUUM ANALYZE');
  return tenant;
}

export async function workloadsOf({ admin }: TestBed, { orgId }: TestOrganization): Promise<Workload[]> {
  const ids = await accountIds(admin, orgId);
  return [
    getAccount(ids),
    listAccounts(ids.length),
    listDifferentAccounts(ids.length),
    updateAccount(ids),
    createAccount(),
    mixedLoad(ids),
  ];
}

/** Compares Relata with the floor, workload by workload, and samples Relata's maximum resident memory. */
export async function compareWithFloor(
  at: RecordsContext,
): Promise<{ comparisons: Comparison[]; residentBytesMax: number | undefined }> {
  await using floor = await at.bed.startFloor(at.tenant.orgId);
  await using relata = await at.bed.startRelata();
  using memory = new MemoryWatch(relata.pid);
  const comparisons: Comparison[] = [];
  for (const workload of await workloadsOf(at.bed, at.tenant)) {
    say(workload.title);
    const runs = {
      floor: roundOf(workload, { ...at, url: floor.url, table: 'floor.accounts' }),
      relata: roundOf(workload, { ...at, url: relata.url }),
    };
    await runs.floor.prepare();
    await runs.relata.prepare();
    const measured = await interleaved(at.plan.rounds, { floor: runs.floor.measure, relata: runs.relata.measure });
    comparisons.push({ workload, ...measured });
  }
  return { comparisons, residentBytesMax: memory.maxBytes };
}
