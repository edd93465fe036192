import { listIndexes } from '@relata/records';
import { withCpu } from '@relata/testbed/cpu';
import type { LoadResult } from '@relata/testbed/load';
import { LoadProcess } from '@relata/testbed/load-process';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import { accountIds, resetAccounts } from '../records/accounts.sql.ts';
import { connections, type Plan } from '../records/plan.ts';
import { openTestBed, type TestBed } from '../records/test-bed.ts';
import { loadTenant } from '../records/throughput.ts';
import { createAccount, getAccount, loadOf, updateAccount, verify, type Workload } from '../records/workloads.ts';

interface CostlyResult extends LoadResult {
  /** Processor time of the app per request, in microseconds. */
  nodeMicros: number;
  /** Processor time of PostgreSQL per request, in microseconds. */
  postgresMicros: number;
}

/** Figures of a workload on two databases: one without the indexes of lists, and one with them. */
export interface IndexCosts {
  workload: string;
  /** Minimum share of the throughput that must remain with indexes. */
  ratioMin: number;
  without: Measured<CostlyResult>;
  indexed: Measured<CostlyResult>;
}

/** Compares writes and look-ups with and without the default indexes of lists. Each side has its own PostgreSQL. */
export async function measureIndexCosts(plan: Plan): Promise<IndexCosts[]> {
  await using load = new LoadProcess();
  await using without = await openSide(false);
  await using indexed = await openSide(true);
  const all: IndexCosts[] = [];
  for (const [i, { title }] of without.workloads.entries()) {
    say(`${title}, with and without indexes`);
    const rounds = [without, indexed].map((side) => roundOf(side.workloads[i]!, side, load, plan));
    for (const { prepare } of rounds) await prepare();
    const [ofWithout, ofIndexed] = rounds.map(({ measure }) => measure);
    const measured = await interleaved(plan.rounds, { without: ofWithout!, indexed: ofIndexed! });
    all.push({ workload: title, ratioMin: without.workloads[i]!.ratioMin, ...measured });
  }
  return all;
}

type Side = Awaited<ReturnType<typeof openSide>>;

async function openSide(isIndexed: boolean) {
  await using stack = new AsyncDisposableStack();
  const bed = stack.use(await openTestBed());
  if (!isIndexed) await dropIndexes(bed);
  const { orgId, key } = await loadTenant(bed);
  const ids = await accountIds(bed.admin, orgId);
  const relata = stack.use(await bed.startRelata());
  const opened = stack.move();
  return {
    bed,
    url: relata.url,
    key,
    pids: { node: relata.pid, postgres: bed.postgresPid },
    workloads: [
      { ...createAccount(), ratioMin: 0.75 },
      { ...updateAccount(ids, { hasIndex: false }), ratioMin: 0.9 },
      { ...updateAccount(ids), ratioMin: 0.9 },
      { ...getAccount(ids), ratioMin: 0.98 },
    ],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Drops the indexes of lists, and the triggers that maintain the tables of values on which some of them are built. */
async function dropIndexes({ admin }: TestBed): Promise<void> {
  for (const { index, valuesOf } of listIndexes) {
    await admin.query(`DROP INDEX IF EXISTS ${index}`);
    for (const event of valuesOf ? ['insert', 'update', 'delete'] : [])
      await admin.query(`DROP TRIGGER keep_tags_${event} ON ${valuesOf!.records}`);
  }
}

function roundOf(workload: Workload, { bed, url, key, pids }: Side, load: LoadProcess, plan: Plan) {
  const size = { url, headers: { 'X-Api-Key': key }, connections, warmUpMs: 0 };
  const run = async (durationMs: number): Promise<CostlyResult> => {
    const { result, cpu } = await withCpu(pids, () => load.run(loadOf(workload, { ...size, durationMs })));
    if (workload.writes) await resetAccounts(bed.admin, ['public.accounts']);
    const microsOf = (seconds: number) => (seconds * 1e9) / (result.requestsPerSecond * durationMs);
    return { ...result, nodeMicros: microsOf(cpu.node), postgresMicros: microsOf(cpu.postgres) };
  };
  return {
    prepare: async () => {
      await verify(workload, { ...size, durationMs: 0 });
      await run(plan.firstWarmUpMs);
    },
    measure: () => run(plan.durationMs),
  };
}
