import type { LoadProcess } from '@relata/testbed/load-process';
import type { LoadResult } from '@relata/testbed/load';
import { countsAgree, insertAccounts, keepTotals, resetAccounts } from './accounts.sql.ts';
import { connections, type Pace } from './pace.ts';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import type { TestBed, Tenant } from './test-bed.ts';
import { accountCount } from './throughput.ts';
import { createAccount, listAccounts, loadOf, type LoadSize, verify, type Workload } from './workloads.ts';

const largeCount = 1_000_000;
const deepOffset = 100_000;

/** With one connection, which shows the time of a single request, and with all of them. */
interface PageFigures {
  alone: Measured;
  together: Measured;
}

interface CreateFigures {
  notKept: Measured;
  kept: Measured;
}

export interface Growth {
  pages: Record<'small' | 'large' | 'deep', PageFigures>;
  creates: Record<'alone' | 'besidePages', CreateFigures>;
}

interface GrowthOptions {
  bed: TestBed;
  /** The organization of 10,000 accounts. */
  small: Tenant;
  load: LoadProcess;
  /** The second client: it pages while the first one creates. */
  pager: LoadProcess;
  pace: Pace;
  onProgress: (line: string) => void;
}

/** Measures lists and creates in an organization of a million accounts, beside one of ten thousand. */
export async function measureGrowth(options: GrowthOptions): Promise<Growth> {
  const { bed, onProgress } = options;
  onProgress(`loading ${largeCount.toLocaleString('en-US')} accounts`);
  const large = await bed.createTenant('Large');
  await insertAccounts(bed.admin, [large.orgId], { from: 1, to: largeCount });
  await bed.admin.query('VACUUM ANALYZE');
  await bed.admin.query('CHECKPOINT');
  await using relata = await bed.startRelata();
  const at = { ...options, url: relata.url, large };
  const pages = await measurePages(at);
  const creates = await measureCreates(at);
  if (!(await countsAgree(bed.admin))) throw new Error('The totals that are kept are not those that are counted.');
  return { pages, creates };
}

type At = GrowthOptions & { url: string; large: Tenant };

const sizeOf = ({ url, pace }: At, { key }: Tenant, atOnce: number): LoadSize => ({
  url,
  headers: { 'X-Api-Key': key },
  connections: atOnce,
  warmUpMs: pace.warmUpMs,
  durationMs: pace.durationMs / 2,
});

async function measurePages(at: At): Promise<Growth['pages']> {
  const lists: [Workload, Tenant][] = [
    [listAccounts(accountCount), at.small],
    [listAccounts(largeCount), at.large],
    [listAccounts(largeCount, deepOffset), at.large],
  ];
  const measure = async (atOnce: number) => {
    at.onProgress(`pages, ${atOnce} at once`);
    const [small, large, deep] = lists.map(([list, tenant]) => {
      return () => at.load.run(loadOf(list, sizeOf(at, tenant, atOnce)));
    }) as [Run, Run, Run];
    return interleaved(at.pace.rounds, { small, large, deep });
  };
  for (const [list, tenant] of lists) await verify(list, sizeOf(at, tenant, 1));
  const together = await measure(connections);
  const alone = await measure(1);
  const figures = (name: 'small' | 'large' | 'deep') => ({ alone: alone[name], together: together[name] });
  return { small: figures('small'), large: figures('large'), deep: figures('deep') };
}

type Run = () => Promise<LoadResult>;

async function measureCreates(at: At): Promise<Growth['creates']> {
  const size = sizeOf(at, at.large, connections);
  await verify(createAccount(), size);
  const create = () => at.load.run(loadOf(createAccount(), { ...size, durationMs: at.pace.durationMs }));
  const page = () =>
    at.pager.run(loadOf(listAccounts(largeCount), { ...size, connections: 1, durationMs: at.pace.durationMs }));
  const besidePages = async () => (await Promise.all([create(), page()]))[0];
  at.onProgress('creates, totals kept and not');
  await create();
  await resetAccounts(at.bed.admin, ['public.accounts']);
  const alone = await withAndWithoutTotals(at, create);
  at.onProgress('creates beside pages, totals kept and not');
  return { alone, besidePages: await withAndWithoutTotals(at, besidePages) };
}

/** Accounts that are created while totals are not kept are deleted before totals are kept again. */
function withAndWithoutTotals({ bed: { admin }, pace }: At, run: Run): Promise<CreateFigures> {
  const reset = () => resetAccounts(admin, ['public.accounts']);
  return interleaved(pace.rounds, {
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
