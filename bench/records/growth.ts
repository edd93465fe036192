import type { LoadProcess } from '@relata/testbed/load-process';
import type { LoadResult } from '@relata/testbed/load';
import { countsAgree, insertAccounts, keepTotals, resetAccounts } from './accounts.sql.ts';
import { connections, type Plan } from './plan.ts';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import type { TestBed, TestOrganization } from './test-bed.ts';
import { accountCount } from './throughput.ts';
import { type AloneAndTogether, compareTenants } from './round.ts';
import { createAccount, listAccounts, loadOf, verify } from './workloads.ts';

const largeCount = 1_000_000;
const deepOffset = 100_000;

interface CreateFigures {
  notKept: Measured;
  kept: Measured;
}

export interface Growth {
  pages: Record<'small' | 'large' | 'deep', AloneAndTogether>;
  creates: Record<'alone' | 'besidePages', CreateFigures>;
}

interface GrowthOptions {
  bed: TestBed;
  /** The organization of 10,000 accounts. */
  small: TestOrganization;
  load: LoadProcess;
  /** The second client, which reads pages while the first client creates accounts. */
  pager: LoadProcess;
  plan: Plan;
}

/** Compares lists and creates in an organization of a million accounts with those in one of ten thousand. */
export async function measureGrowth(options: GrowthOptions): Promise<Growth> {
  const { bed } = options;
  say(`loading ${largeCount.toLocaleString('en-US')} accounts`);
  const large = await bed.createTestOrganization('Large');
  await insertAccounts(bed.admin, [large.orgId], { from: 1, to: largeCount });
  await bed.admin.query('VACUUM ANALYZE');
  await bed.admin.query('CHECKPOINT');
  await using relata = await bed.startRelata();
  const at = { ...options, url: relata.url, large };
  const pages = await measurePages(at);
  const creates = await measureCreates(at);
  if (!(await countsAgree(bed.admin))) throw new Error('The stored totals differ from the numbers of accounts.');
  return { pages, creates };
}

type At = GrowthOptions & { url: string; large: TestOrganization };

function measurePages(at: At): Promise<Growth['pages']> {
  say('pages');
  return compareTenants(at, {
    small: [at.small, listAccounts(accountCount)],
    large: [at.large, listAccounts(largeCount)],
    deep: [at.large, listAccounts(largeCount, deepOffset)],
  });
}

type Run = () => Promise<LoadResult>;

async function measureCreates(at: At): Promise<Growth['creates']> {
  const { url, large, plan } = at;
  const { warmUpMs, durationMs } = plan;
  const size = { url, headers: { 'X-Api-Key': large.key }, connections, warmUpMs, durationMs };
  await verify(createAccount(), size);
  const create = () => at.load.run(loadOf(createAccount(), size));
  const page = () => at.pager.run(loadOf(listAccounts(largeCount), { ...size, connections: 1 }));
  const besidePages = async () => (await Promise.all([create(), page()]))[0];
  say('creates, totals kept and not');
  await create();
  await resetAccounts(at.bed.admin, ['public.accounts']);
  const alone = await withAndWithoutTotals(at, create);
  say('creates beside pages, totals kept and not');
  return { alone, besidePages: await withAndWithoutTotals(at, besidePages) };
}

/**
 * Measures creates with and without the triggers that keep totals. Each round deletes the accounts that it created, and
 * does so before the triggers are enabled again, because the totals do not include these accounts.
 */
function withAndWithoutTotals({ bed: { admin }, plan }: At, run: Run): Promise<CreateFigures> {
  const reset = () => resetAccounts(admin, ['public.accounts']);
  return interleaved(plan.rounds, {
    notKept: async () => {
      await keepTotals(admin, false);
      const result = await run();
      await reset();
      await keepTotals(admin, true);
      return result;
    },
    kept: async () => {
      const result = await run();
      await reset();
      return result;
    },
  });
}
