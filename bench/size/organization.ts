import type { Client } from 'pg';
import type { LoadProcess } from '@relata/testbed/load-process';
import { say } from '@relata/testbed/suite-program';
import { countsAgree, insertAccounts } from '../records/accounts.sql.ts';
import { fullPlan, quickPlan } from '../records/plan.ts';
import { type AloneAndTogether, compareTenants } from '../records/round.ts';
import { openTestBed, type TestOrganization } from '../records/test-bed.ts';
import { createAccount, getAccount, listAccounts, updateAccount, type Workload } from '../records/workloads.ts';
import { listTableSizes, type TableSize } from './table-size.sql.ts';

export interface OrganizationOptions {
  records: number;
  load: LoadProcess;
  isQuick: boolean;
}

/** Figures of a kind of request in both organizations. */
interface Compared extends Record<'small' | 'large', AloneAndTogether> {
  title: string;
}

export interface LargeOrganization {
  records: number;
  smallRecords: number;
  tables: TableSize[];
  compared: Compared[];
}

const smallRecords = 10_000;
const idsMax = 100_000;

/** Compares requests in an organization of this size with those in one of ten thousand records in the same database. */
export async function measureOrganization(options: OrganizationOptions): Promise<LargeOrganization> {
  const { records, load, isQuick } = options;
  await using bed = await openTestBed();
  const [small, large] = [await bed.createTestOrganization('Small'), await bed.createTestOrganization('Large')];
  await insertAccounts(bed.admin, [small.orgId], { from: 1, to: smallRecords });
  for (let from = 1; from <= records; from += 1_000_000) {
    await insertAccounts(bed.admin, [large.orgId], { from, to: Math.min(records, from + 999_999) });
    say(`${Math.min(records, from + 999_999).toLocaleString('en-US')} records`);
  }
  const tables = await listTableSizes(bed.admin, ['accounts', 'record_landmarks']);
  await bed.admin.query('CHECKPOINT');
  await using relata = await bed.startRelata();
  const workloads = await Promise.all(
    [small, large].map(async (tenant, at) => workloadsOf(tenant, at === 0 ? smallRecords : records, bed.admin)),
  );
  const compared: Compared[] = [];
  const loading = { load, plan: isQuick ? quickPlan : fullPlan, url: relata.url };
  for (const [at, ofSmall] of workloads[0]!.entries()) {
    const { title } = ofSmall;
    say(title);
    const sides = { small: [small, ofSmall], large: [large, workloads[1]![at]!] } as const;
    compared.push({ title, ...(await compareTenants(loading, sides)) });
  }
  if (!(await countsAgree(bed.admin))) throw new Error('The stored totals differ from the numbers of accounts.');
  return { records, smallRecords, tables, compared };
}

/** Returns the workloads. Writes come last, because they change the total that checks of lists expect. */
async function workloadsOf({ orgId }: TestOrganization, records: number, admin: Client): Promise<Workload[]> {
  const ids = await someIds(admin, orgId);
  return [
    getAccount(ids),
    listAccounts(records),
    { ...listAccounts(records, records / 2), title: 'page in the middle' },
    updateAccount(ids),
    createAccount(),
  ];
}

async function someIds(admin: Client, orgId: string): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `SELECT id FROM accounts WHERE org_id = $1 AND ('x' || right(id::text, 4))::bit(16)::integer % 100 = 0 LIMIT ${idsMax}`,
    [orgId],
  );
  return rows.map(({ id }) => id);
}
